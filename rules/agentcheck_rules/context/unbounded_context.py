"""A history grows on every turn, is sent again in full, and nothing shortens it.

Each turn costs more than the one before, answers get slower and worse, and a long session ends in
the provider's error that the context is too long, with no way on.

Looked at are loops that ask a model, and functions that keep the history outside themselves (in
the object, the module, a session). A history is a list or text that is added to and passed on to
the model. Shortened is one that is sliced, popped, cleared, replaced or given to something whose
name says that it trims, compacts or sums up, in the function, its class or in what it calls; a
loop with a finite number of turns is bounded. What a library or a server does by itself is not
seen, so the finding is for the careful reader.

In a run, what counts is a history that grew over several requests, with neither a compaction nor a
smaller request since, to four fifths of what the model takes, or past it. Its size is the tokens
that were counted, else it is estimated from the length of the texts, which the finding says. What
a model takes is said by `context-window` under `[trace]`, else by the package genai-prices.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    E,
    Fn,
    Hit,
    Located,
    Place,
    S,
    Site,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.context._history import growth, sent
from agentcheck_rules.context._run_unbounded_context import check_run, usual_run
from agentcheck_rules.context._shorter import shortened

__all__ = ["CARD", "check", "check_run", "usual_run"]

CARD = Card(
    code="AC601",
    topic="unbounded-context",
    title="The history grows without a limit",
    question="Is every history that is sent again kept below some size?",
    severity="low",
    confidence="medium",
    at_stake="A long session must not become dearer with every turn and then fail.",
    consequence="Every turn sends all turns before it; in the end the provider refuses the request "
    "because the context is too long, and the session cannot go on.",
    owner="whoever keeps the conversation",
    smallest_change="Before each call, cut the history to a budget of tokens or sum up its older "
    "part, and keep a tool call and its answer together.",
    could_break="Answers that relied on what was said long ago.",
    acceptance="After many turns with {owner} the request stays below a fixed size, and every tool "
    "result in it still has its call.",
    persona="pedantic",
    tags=("spend", "liveness"),
)
LOOKED = (
    "a slice, pop, clear or replacement of the history",
    "a call that trims, compacts or sums up, here or in what is called",
    "a finite number of turns",
)


class _Kept(Struct, frozen=True):
    fn: Fn
    name: str
    grows: tuple[Located, ...]
    sites: tuple[Site, ...]
    loop: AgentLoop | None


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that sends a history which it makes longer."""
    seen: set[Fn] = set()
    for kept in (*_in_loops(graph), *_outside(graph)):
        if kept.fn not in seen and code_kind(kept.fn.file.path) != "test":
            seen.add(kept.fn)
            yield _assess(graph, kept)


def _in_loops(graph: AgentGraph) -> Iterator[_Kept]:
    for loop in graph.loops:
        inside = [at for at in graph.program.statements(loop.fn) if _is_in(at, loop.stmt)]
        yield from _kept(graph, loop.fn, inside, loop.sites, loop)


def _is_in(at: Located, loop: S.Stmt) -> bool:
    return any(c.stmt is loop for c in at.around())


def _outside(graph: AgentGraph) -> Iterator[_Kept]:
    """Functions, called once a turn, whose history outlives the call."""
    for fn, sites in graph.drives.sites.items():
        for kept in _kept(graph, fn, graph.program.statements(fn), tuple(sites), None):
            if _outlives(graph, fn, kept.name):
                yield kept


def _outlives(graph: AgentGraph, fn: Fn, name: str) -> bool:
    root = name.split(".", 1)[0].split("[", 1)[0]
    if root == "self":
        return fn.name != "__init__"
    if "session_state" in name:
        return True
    local = [b for b in graph.program.scope(fn).get(root, ()) if b.how != "augmented"]
    at_module = graph.program.scope(graph.program.module(fn.file.path)).get(root, ())
    return fn.index != 0 and not local and any(b.how == "value" for b in at_module)


def _kept(
    graph: AgentGraph,
    fn: Fn,
    statements: list[Located],
    sites: tuple[Site, ...],
    loop: AgentLoop | None,
) -> Iterator[_Kept]:
    grown: dict[str, list[Located]] = {}
    for at in statements:
        name = growth(at)
        if name is not None and not (loop and _made_inside(statements, name)):
            grown.setdefault(name, []).append(at)
    calls = [s for s in sites if isinstance(s.expr, E.Call)]
    for name in sorted(grown, key=lambda n: -len(grown[n])):
        using = tuple(s for s in calls if name in sent(graph, s))
        if using:
            yield _Kept(fn, name, tuple(grown[name]), using, loop)


def _made_inside(statements: list[Located], name: str) -> bool:
    """Whether each turn starts with a new one."""
    return any(
        isinstance(at.stmt, S.Assign)
        and any(isinstance(t, E.Name) and t.id == name for t in at.stmt.targets)
        and growth(at) is None
        for at in statements
    )


def _assess(graph: AgentGraph, kept: _Kept) -> Assessment:
    owner = kept.fn.qualname
    here = related(kept.sites[0].place, f"`{kept.name}` is sent here")
    cut = shortened(graph, kept.fn, kept.name, kept.sites)
    if cut is not None:
        return fine(owner, "met", "it is cut", here, related(cut.place, "this shortens it"))
    bound = _turns(kept.loop)
    if bound is not None:
        return fine(owner, "met-differently", "its turns are few", here, related(bound, "a limit"))
    return _grows(kept)


def _turns(loop: AgentLoop | None) -> Place | None:
    """What ends a loop after a finite number of turns."""
    counted = ("iterations", "count", "items", "budget", "withheld", "drained")
    bounds = loop.bounds if loop else ()
    return next((b.place for b in bounds if b.holds and b.kind in counted), None)


def _grows(kept: _Kept) -> Assessment:
    owner, last = kept.fn.qualname, kept.grows[-1]
    hit = Hit(
        message=f"`{owner}` adds to `{kept.name}` on every turn, sends all of it, and nothing "
        "shortens it.",
        owner=owner,
        failure_path=(
            f"each turn adds to `{kept.name}`",
            "the next request sends all of it again",
            "a long session passes the model's context window and is refused",
        ),
        challenge=Challenge("upheld", LOOKED),
    )
    evidence: list[CodeEvidence] = [primary(last.place, f"`{kept.name}` gets longer here")]
    evidence += [related(at.place, "and here") for at in kept.grows[:-1][:3]]
    evidence += [related(s.place, "all of it is sent here") for s in kept.sites[:2]]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
