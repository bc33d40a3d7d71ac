"""A failure of the model's provider ends a session and takes its history along.

Providers answer with 429, 500 and time-outs as a matter of course. Where nothing between the call
and the loop that holds the conversation catches them, one such answer ends the session, and the
messages that only a local variable held are gone.

Asked about are calls of a model, and of a framework's own loop, that are made on the turns of a
loop whose function gathers messages: a conversation, or an agent's own loop. A call that is made
once and lets its error out leaves that to its caller, and is not asked about. Looked for is a
handler of the provider's errors inside the loop, in the function of the call, in those that lead
to it, and in the decorators around them; a checkpointer, a session or a file that the loop keeps
its messages in also counts, since the conversation can then be taken up again.

Retries by the SDK itself soften the fault and do not mend it: they end after two attempts.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    ModelCall,
    Protection,
    RunCall,
    Site,
    code_kind,
    fine,
    primary,
    protection,
    related,
)
from agentcheck_rules.replies._histories import holding_loops, is_kept
from agentcheck_rules.replies._provider import PROVIDER_ERRORS

__all__ = ["CARD", "check"]
CARD = Card(
    code="AC205",
    topic="provider-error-unhandled",
    title="A provider's failure ends the session and loses its history",
    question="Does a session outlive a failure of the model's provider?",
    severity="medium",
    confidence="medium",
    persona="pedantic",
    at_stake="A provider's bad minute must not cost a user the conversation.",
    consequence="The session ends with the provider's exception, and the messages so far, with the "
    "effects of the tools already run, are known to nobody.",
    owner="whoever owns the loop",
    smallest_change="Catch the provider's errors inside the loop, keep the messages so far, and "
    "return them with a named reason or ask whether to try again.",
    could_break="Callers that relied on the exception to learn of the failure.",
    acceptance="A scripted 500 on the second model call of {owner} leaves the session alive, or "
    "returns its history with the reason.",
    tags=("robustness",),
)
LOOKED = (
    "a handler of the provider's errors inside the loop and in the functions between",
    "a decorator that catches or retries",
    "a session, checkpointer or file that keeps the messages",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that asks a model for such a loop, its worst call first."""
    ends: dict[int, ModelCall | RunCall] = {}
    loops: dict[int, list[tuple[AgentLoop, Site]]] = {}
    for loop in holding_loops(graph):
        for site in loop.sites:
            for end in graph.drives.ends_of(site):
                ends.setdefault(id(end.site.expr), end)
                loops.setdefault(id(end.site.expr), []).append((loop, site))
    answers: dict[Fn, list[Assessment]] = {}
    for key, end in ends.items():
        answers.setdefault(end.site.fn, []).append(_assess(graph, end, loops[key]))
    for group in answers.values():
        yield next((a for a in group if a.hit is not None), group[0])


def _assess(
    graph: AgentGraph, end: ModelCall | RunCall, held: list[tuple[AgentLoop, Site]]
) -> Assessment:
    owner = end.site.fn.qualname
    here = related(end.site.place, "the model is asked here")
    found = protection(graph, end.site, PROVIDER_ERRORS)
    if found.guard is not None:
        stmt, fn = found.guard
        seen = related(fn.place(stmt.span), "a failure is caught here")
        return fine(owner, "met", "a provider's failure is caught", here, seen)
    if found.unsure:
        return fine(owner, "cannot-tell", f"Whether it is caught: {found.unsure}.", here)
    held = sorted(held, key=lambda one: code_kind(one[0].fn.file.path))
    lost = [(loop, site) for loop, site in held if is_kept(graph, loop) is None]
    if not lost:
        kept = is_kept(graph, held[0][0])
        why = "the messages are kept outside the loop"
        seen = related((kept or held[0][1]).place, "they are kept here")
        return fine(owner, "met-differently", why, here, seen)
    return _unhandled(end, lost, found)


def _unhandled(
    end: ModelCall | RunCall, lost: list[tuple[AgentLoop, Site]], found: Protection
) -> Assessment:
    owner, holder = end.site.fn.qualname, lost[0][0].fn.qualname
    message = f"A failure of the provider in `{owner}` ends `{holder}`, and its messages are lost."
    talks = any(b.kind == "person" for loop, _ in lost for b in loop.bounds)
    hit = Hit(
        message=message,
        owner=owner,
        severity=None if talks else "low",
        failure_path=(
            f"`{holder}` has gathered messages in a local variable",
            f"the call in `{owner}` raises: a rate limit, a 500, a time-out",
            f"no handler was found in {', '.join(f'`{n}`' for n in found.searched[:4])}",
            "the exception ends the loop, and its messages go with it",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"holder": holder},
    )
    evidence = [primary(end.site.place, "a failure of the provider is raised here")]
    seen = {(end.site.place.file, end.site.place.span.line)}
    for _, site in lost:
        spot = (site.place.file, site.place.span.line)
        if spot not in seen and len(evidence) < 5:
            seen.add(spot)
            evidence.append(related(site.place, "it leaves the loop here"))
    return Assessment(
        subject=owner, verdict="not-met", why=message, evidence=tuple(evidence), hit=hit
    )
