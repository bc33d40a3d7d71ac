"""After an effect nobody reads it back: the tool's own word is what the model believes.

A request that was accepted and then dropped, a row that was written and rolled back, a mail that
bounced: the tool said yes, and the model builds on it. A check that reads the changed thing after
the effect, in the tool or in the code that runs it, turns that word into a fact.

This is judged by absence, so it is told to auditors only: one finding a dispatcher that runs tools
with effects, and one a file whose tools a framework runs. Reading back is seen by calls named for
it, such as `get_order` or `verify`, that stand behind the effect; an answer whose status is read
says only that the request was taken, and does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Dispatch,
    Effect,
    Fn,
    Hit,
    Site,
    Tool,
    code_kind,
    effects_of,
    find_dispatches,
    fine,
    last_name,
    lazy_re,
    primary,
    related,
)
from agentcheck_rules.tools._bodies import bodied

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC307",
    topic="effect-unverified",
    title="An effect is believed without being read back",
    question="Does something read the world after a tool has changed it?",
    severity="low",
    confidence="low",
    persona="auditor",
    at_stake="What the model builds on must be the state of the world, not a tool's word for it.",
    consequence="An effect that was lost, refused later or done by halves is reported as done.",
    owner="whoever owns the tools or the code that runs them",
    smallest_change="After an effect read the changed thing back, by its id, and answer with what "
    "was read.",
    could_break="Each effect costs one more request, and stores that lag need a second look.",
    acceptance="With a scripted backend that accepts and then drops the effect of {tool}, the "
    "model is told that it did not happen.",
    tags=("correctness",),
)
LOOKED = (
    "a call named for reading or checking, behind the effect",
    "a check in the code that runs the tools",
)
_READS = lazy_re(
    r"^(get|fetch|read|verify|check|confirm|exists|find|load|list|status|validate|reconcile|poll|"
    r"wait_for|assert|select|lookup|retrieve|refresh)(_|$)"
)
_DATA = frozenset("get read load json list find".split())


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a dispatcher of tools with effects, and one a file of a framework's tools."""
    acting = [(t, f, e) for t, f in bodied(graph) if (e := effects_of(graph.tracer, t))]
    believed: list[tuple[Tool, Fn]] = []
    for tool, fn, effects in acting:
        seen = _read_back(graph, fn, effects)
        if seen is not None:
            where = related(seen.place, "the effect is read back here")
            yield fine(tool.name, "met", "it reads its effect back", where)
        else:
            believed.append((tool, fn))
    by_hand = [b for b in believed if b[0].framework is None]
    places = [d for d in find_dispatches(graph) if code_kind(d.site.place.file) != "test"]
    together = graph.program.together
    for dispatch in places:
        run = [(tool, fn) for tool, fn in by_hand if together(fn, dispatch.fn)]
        if run:
            yield _dispatcher(graph, dispatch, run)
    by_file: dict[str, list[tuple[Tool, Fn]]] = {}
    for tool, fn in believed:
        if tool.framework is not None or not any(together(fn, d.fn) for d in places):
            by_file.setdefault(tool.place.file, []).append((tool, fn))
    yield from (_file(group) for group in by_file.values())


def _read_back(graph: AgentGraph, fn: Fn, effects: list[Effect]) -> Site | None:
    """A call behind the last effect of a body that is named for reading something anew."""
    last = max((e.by.place.span for e in effects if e.by is not None), default=None)
    for site, call in graph.program.calls(fn):
        if last is not None and site.place.span > last and _reads(last_name(call.func) or ""):
            return site
    return None


def _reads(name: str) -> bool:
    return name not in _DATA and bool(_READS.match(name))


def _dispatcher(
    graph: AgentGraph, dispatch: Dispatch, believed: list[tuple[Tool, Fn]]
) -> Assessment:
    owner, site = dispatch.fn.qualname, dispatch.site
    for checked, call in graph.program.calls(dispatch.fn):
        name = (last_name(call.func) or "").lower()
        if checked.place.span > site.place.span and re.match(
            r"_?(verify|reconcile|read_back)", name
        ):
            seen = related(checked.place, "what a tool did is checked here")
            return fine(owner, "met", "it checks what a tool did", seen)
    after = _taken(graph, dispatch)
    evidence = (
        primary(site.place, "the tool runs here, and its result is all that is looked at"),
        *([related(after.place, "its word goes to the model")] if after is not None else []),
        *(related(t.place, f"`{t.name}` changes the world") for t, _ in believed[:4]),
    )
    return _hit(owner, believed[0][0].name, f"`{owner}` passes on", evidence)


def _taken(graph: AgentGraph, dispatch: Dispatch) -> Site | None:
    """The next call behind the dispatch, which takes its result."""
    behind = (s for s, _ in graph.program.calls(dispatch.fn))
    span = dispatch.site.at.stmt.span
    return next((s for s in behind if s.expr.span.line > span.end_line), None)


def _file(group: list[tuple[Tool, Fn]]) -> Assessment:
    tool, fn = group[0]
    names = ", ".join(f"`{t.name}`" for t, _ in group[:6])
    evidence = (
        primary(tool.place, "this changes the world and reads nothing back"),
        *(related(t.place, "and this") for t, _ in group[1:6]),
    )
    return _hit(fn.qualname, tool.name, f"{names} ({len(group)} in this file): taken is", evidence)


def _hit(owner: str, tool: str, subject: str, evidence: tuple[CodeEvidence, ...]) -> Assessment:
    hit = Hit(
        message=f"{subject} a tool's own word that its effect happened; nothing reads it back.",
        owner=owner,
        failure_path=(
            f"`{tool}` asks for an effect, which is accepted and then lost",
            "its result says that it was done",
            "the model goes on as if it were",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner, "tool": tool},
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
