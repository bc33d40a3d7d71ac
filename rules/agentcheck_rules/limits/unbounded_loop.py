"""A loop asks the model again and again, and nothing but the model's own answer ends it.

A confused model asks for one more tool, two agents hand back and forth, a judge never says
"pass": the loop goes on until the budget, the rate limit or a person stops it. The whole history
is sent again on every turn, so each turn costs more than the last.

Bounded is a loop whose turns are counted against a finite limit, in the loop or in a helper that
it asks or that raises; that looks at a clock or a budget; that takes from a collection which it
does not fill with what the model said, or reads a source to its end; that takes its tools away
after a number of calls; or that waits for a person or for work from outside on every turn. A
service that never ends and sleeps on every turn is paced by its schedule. A limit whose default
is infinite or None counts only where every caller passes a finite one or the code puts a number
in its place. A count that is set back, that only failures move, or that a test names without
moving it is none. A limit that counts messages where a turn adds several is in force, but means
fewer turns than it says. A loop that repeats one failing call is told apart: there the fault that
lasts, not the model's answer, keeps it going.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Assessment,
    Bound,
    Card,
    Challenge,
    CodeEvidence,
    Evidence,
    Hit,
    Limit,
    S,
    Verdict,
    code_kind,
    fine,
    first_reply_ends,
    primary,
    related,
)
from agentcheck_rules.limits._entries import (
    Unlimited,
    by_default,
    entry_assessments,
    group_assessments,
)
from agentcheck_rules.limits._finite import finite_default
from agentcheck_rules.limits._run_unbounded_loop import check_run, usual_run
from agentcheck_rules.limits._shape import is_polled, passed_by, unlimited_defaults

__all__ = ["CARD", "Gathered", "check", "check_run", "conclude", "gather", "usual_run"]

CARD = Card(
    code="AC101",
    topic="unbounded-loop",
    title="Agent loop without an upper bound",
    question="Is every loop that asks a model bounded by something other than the model's answer?",
    severity="high",
    confidence="high",
    remedy_confidence="high",
    at_stake="One request must not be able to spend an unbounded number of model calls.",
    consequence="A run that never finishes calls the model until the budget, the rate limit or a "
    "person ends it, and every turn sends a longer history than the one before.",
    owner="whoever owns the agent loop",
    smallest_change="Give the loop a finite number of model calls, counted in the loop itself, and "
    "end with a named reason when it is reached.",
    could_break="Runs that need more turns than the limit now end early.",
    acceptance="A scripted model that always asks for another tool call makes {owner} stop after "
    "the default number of model calls, streamed or not.",
    tags=("spend", "liveness"),
)
PACED = {
    "person": "a person is asked on every turn",
    "work": "every turn waits for work from outside",
    "drained": "the loop only takes from a collection that it does not fill",
    "withheld": "tools are no longer offered once a count is reached",
    "schedule": "it is a service without an end that sleeps on every turn",
    "time": "a clock ends it",
    "budget": "a budget ends it",
    "callee": "a helper compares with a limit on every turn",
}


class Gathered(Struct):
    """What is said of single loops, and the calls that share a framework's default."""

    single: list[Assessment]
    unlimited: list[Unlimited]


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a loop that asks a model, and one a call of a framework's own loop; calls
    that leave its limit at a default that is none have one together."""
    return conclude([gather(graph)])


def gather(graph: AgentGraph) -> Gathered:
    """The loops and calls of a part of the target."""
    loops = [loop for loop in graph.loops if code_kind(loop.fn.file.path) != "test"]
    unlimited = list[Unlimited]()
    entries = list(entry_assessments(graph, unlimited))
    single = [*(_assess(graph, loop) for loop in loops), *entries, *group_assessments(graph)]
    return Gathered(single, unlimited)


def conclude(parts: Sequence[Gathered]) -> Iterator[Assessment]:
    """All loops, and the calls that share a default together."""
    for part in parts:
        yield from part.single
    yield from by_default(call for part in parts for call in part.unlimited)


def _assess(graph: AgentGraph, loop: AgentLoop) -> Assessment:
    holding = [b for b in loop.bounds if b.holds]
    if not holding:
        return _unbounded(graph, loop)
    best = min(holding, key=lambda b: list(_ORDER).index(b.kind))
    if best.kind == "items" and isinstance(loop.stmt, S.While) and best.limits:
        return _other_unit(loop, best)
    where = related(best.place, PACED.get(best.kind, "this ends the loop"))
    seen = related(loop.place, "the loop asks a model on every turn")
    verdict: Verdict = "met-differently" if best.kind in PACED else "met"
    return fine(
        loop.fn.qualname, verdict, PACED.get(best.kind, "its turns are counted"), seen, where
    )


_ORDER = (
    "iterations", "count", "items", "time", "budget", "withheld", "drained", "person", "work",
    "schedule", "callee",
)  # fmt: skip


def _other_unit(loop: AgentLoop, bound: Bound) -> Assessment:
    owner = loop.fn.qualname
    hit = Hit(
        title="The turn limit counts messages, not model calls",
        message=f"`{owner}` compares its limit with {bound.unit}; a turn can add more than one.",
        owner=owner,
        severity="low",
        persona="pedantic",
        failure_path=(
            f"`{owner}` is called with a limit meant as a number of turns",
            "one model call adds its own message and one for each tool call",
            "the run ends after fewer model calls than the limit says",
        ),
        challenge=Challenge("upheld", ("a counter of model calls in the loop",)),
        smallest_change="Count model calls in a variable of the loop and compare that.",
    )
    evidence = (primary(bound.place, "the limit is compared with a number of messages"),)
    return Assessment(
        subject=owner, verdict="partly", why="bounded, in another unit", evidence=evidence, hit=hit
    )


def _unbounded(graph: AgentGraph, loop: AgentLoop) -> Assessment:
    owner = loop.fn.qualname
    limits = [limit for _, limit in unlimited_defaults(graph, loop)] or [
        limit for b in loop.bounds for limit in b.limits if limit.worth in ("infinite", "none")
    ]
    evidence = _evidence(graph, loop, limits)
    polls, retries = is_polled(graph, loop), first_reply_ends(graph.calls, loop.stmt, loop.sites)
    hit = Hit(
        title="A model call is repeated until it succeeds"
        if retries
        else _title(limits, polls=polls),
        message=_retry_message(owner) if retries else _message(owner, loop, limits),
        owner=owner,
        severity="medium" if polls or retries else None,
        confidence="medium" if polls else None,
        failure_path=_retry_path(owner) if retries else _path(owner, limits),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": loop.fn.qualname},
        fix=None if polls else finite_default(graph, loop),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)


LOOKED = (
    "a counter, clock or budget compared in the loop or in a helper it calls",
    "a finite limit passed at every call site",
    "a person or outside work waited for on every turn",
    "a collection that the loop drains",
)


def _title(limits: list[Limit], *, polls: bool) -> str:
    if limits and limits[0].worth == "infinite":
        return "The turn limit is infinite unless a caller passes one"
    if limits:
        return "The turn limit is None unless a caller passes one"
    return "A run is polled with no deadline" if polls else CARD.title


def _message(owner: str, loop: AgentLoop, limits: list[Limit]) -> str:
    if not limits:
        return f"`{owner}` loops on the model and nothing counts its turns, its time or its cost."
    unit = next((b.unit for b in loop.bounds if not b.holds), "turns")
    extra = f" What it counts is {unit}, not model calls." if unit == "messages" else ""
    worth = "infinite" if limits[0].worth == "infinite" else "None, which switches it off"
    return f"The limit of `{owner}` is {worth} by default, so the model alone ends the loop.{extra}"


def _path(owner: str, limits: list[Limit]) -> tuple[str, ...]:
    start = f"`{owner}` is called without a limit" if limits else f"`{owner}` enters its loop"
    return (
        start,
        "the model asks for another tool call, or agents hand back and forth",
        "every turn sends the whole history again",
        "nothing but the model's own final answer ends the loop",
    )


def _retry_message(owner: str) -> str:
    return f"`{owner}` repeats a failing model call, and nothing counts its attempts or its time."


def _retry_path(owner: str) -> tuple[str, ...]:
    return (
        f"`{owner}` asks the model, and the call raises or its answer is refused",
        "the exception is caught and the call made again",
        "the fault lasts, so every attempt meets it and nothing counts the attempts",
    )


def _evidence(graph: AgentGraph, loop: AgentLoop, limits: list[Limit]) -> tuple[Evidence, ...]:
    found: list[CodeEvidence] = []
    for limit in limits[:2]:
        place = limit.place
        says = (
            "this default is no limit" if limit.worth == "infinite" else "None means no limit here"
        )
        found.append(related(place, says) if found else primary(place, says))
    for bound in loop.bounds:
        if not bound.holds:
            says = f"the loop compares {bound.unit} with that limit"
            found.append(related(bound.place, says))
    if not found:
        found.append(primary(loop.place, "this loop has no end of its own"))
    elif loop.place.span.line not in {e.line for e in found}:
        found.append(related(loop.place, "this loop asks the model on every turn"))
    found += [related(s.place, "this asks the model on every turn") for s in loop.sites[:2]]
    found += [related(p, "this call passes no limit") for p in passed_by(graph, loop)[:4]]
    return tuple(found)
