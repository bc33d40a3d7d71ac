"""Tools in code whose second call acts a second time."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Challenge,
    CodeEvidence,
    Fn,
    Hit,
    Persona,
    Severity,
    Site,
    Tool,
    acts_anew_by_name,
    effects_of,
    fine,
    primary,
    related,
)
from agentcheck_rules.tools._bodies import bodied
from agentcheck_rules.tools._fresh_ids import made_anew, reads_first
from agentcheck_rules.tools._repeats import has_key, paused, retried

LOOKED = (
    "an idempotency key, or an id that the caller gives",
    "a look at what is there already",
    "a store of calls that were carried out",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a tool that acts anew, and one an effect before a pause."""
    told: set[Fn] = set()
    for effect, pause, guarded in paused(graph):
        if guarded:
            seen = related(effect.place, "this is done once")
            yield fine(effect.fn.qualname, "met", "it is guarded against a second time", seen)
        elif effect.fn not in told:
            told.add(effect.fn)
            yield _paused(effect, pause)
    bare: dict[str, list[tuple[Tool, Fn]]] = {}
    for tool, fn in bodied(graph):
        if fn in told:
            continue
        weights = {e.weight for e in effects_of(graph.tracer, tool)} & {"money", "message"}
        here = related(tool.place, "a model may call this")
        if not weights and not acts_anew_by_name(tool.name):
            yield fine(tool.name, "not-applicable", "no sign that a repeat acts anew", here)
        elif has_key(graph, fn):
            yield fine(tool.name, "met-differently", "it has a key or a guard", here)
        elif (said := _retried(graph, tool, fn) or _anew(graph, tool, fn, weights)) is not None:
            yield said
        elif "money" in weights:
            bare.setdefault(tool.place.file, []).append((tool, fn))
        else:
            yield fine(tool.name, "cannot-tell", "whether a repeat is refused is not seen", here)
    yield from (_bare(group) for group in bare.values())


def _hit(
    subject: str,
    owner: str,
    words: tuple[str, str],
    path: tuple[str, ...],
    evidence: tuple[CodeEvidence, ...],
    *,
    severity: Severity | None = None,
    persona: Persona | None = None,
) -> Assessment:
    hit = Hit(
        title=words[0],
        message=words[1],
        owner=owner,
        severity=severity,
        confidence="medium" if persona or severity else None,
        persona=persona,
        failure_path=path,
        challenge=Challenge("weakened" if persona else "upheld", LOOKED),
        names={"owner": owner, "tool": subject},
    )
    return Assessment(subject=subject, verdict="not-met", why=words[1], evidence=evidence, hit=hit)


def _paused(effect: Site, pause: Site) -> Assessment:
    owner = effect.fn.qualname
    return _hit(
        owner,
        owner,
        (
            "A side effect stands before a pause and is repeated on resume",
            f"`{owner}` acts before it calls interrupt(); on resume it starts again at its top.",
        ),
        (
            f"`{owner}` acts, and interrupt() stops the run to ask a person",
            "the person answers, and the node is run again from its first line",
            "the effect happens a second time",
        ),
        (
            primary(effect.place, "this is done again when the run resumes"),
            related(pause.place, "the run stops here, and starts the node again"),
        ),
    )


def _retried(graph: AgentGraph, tool: Tool, fn: Fn) -> Assessment | None:
    for effect, repeats, host in retried(graph, fn):
        return _hit(
            tool.name,
            fn.qualname,
            (
                "A retry repeats a side effect without a key",
                f"`{tool.name}` is retried when it fails, and nothing marks the second attempt.",
            ),
            (
                f"`{tool.name}` acts, and the answer is lost or comes too late",
                "the failure is caught and the call is made again",
                "the effect happens a second time",
            ),
            (
                primary(effect.place, "this is sent again with each attempt"),
                related(host.place(repeats.span), "this makes the attempts"),
            ),
        )
    return None


def _anew(graph: AgentGraph, tool: Tool, fn: Fn, weights: AbstractSet[str]) -> Assessment | None:
    for made, used in made_anew(graph, fn):
        if reads_first(graph, fn, made):
            continue
        return _hit(
            tool.name,
            fn.qualname,
            (
                "Each call makes a random id and acts under it",
                f"`{tool.name}` makes a new id with every call, so no repeat can be recognised.",
            ),
            (
                f"the model calls `{tool.name}` twice with the same arguments",
                "each call makes an id of its own",
                "the effect happens twice",
            ),
            (
                primary(made.place, "a new id with every call"),
                related(used.place, "it is acted on under that id"),
                related(tool.place, "a model may call this"),
            ),
            severity="medium",
            persona=None if weights else "pedantic",
        )
    return None


def _bare(group: list[tuple[Tool, Fn]]) -> Assessment:
    tool, fn = group[0]
    names = ", ".join(f"`{t.name}`" for t, _ in group[:6])
    others = [related(t.place, "and this") for t, _ in group[1:6]]
    return _hit(
        tool.name,
        fn.qualname,
        (
            "Nothing keeps a tool that moves money from acting twice",
            f"{names}: no key and no look at what was done ({len(group)} in this file).",
        ),
        (
            f"the model repeats its call of `{tool.name}`",
            "nothing marks the second call as a repeat",
            "the money moves twice",
        ),
        (primary(tool.place, "neither its arguments nor its body know a repeat"), *others),
        severity="medium",
        persona="pedantic",
    )
