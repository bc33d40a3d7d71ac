"""A guard that fails, times out or cannot ask lets the action go on.

A guard is there for the day when something is wrong. One that answers yes on an error is passed
by whoever can make it fail: a prompt too long for the judge, a provider that is down, a process
without a terminal. The same holds for a hook that ends well on input that it cannot read, and for
a caller that swallows the guard's exception and goes on.

Judged is what a function named or decorated as a guard returns from the handlers of wide errors,
of time-outs and of the end of input, and where there is no terminal; what stands in for a verdict
that a reply left out; what a helper is told to answer unasked; and the code behind a `try` that
only asked a guard. A handler of one known harmless case, such as a file that does not exist, is
none of it, nor is an answer that a setting named for failing open decides.

An input guardrail of the OpenAI Agents SDK runs beside the agent unless told otherwise: its tools
may have acted before it objects. That counts only where the agent owns tools with effects.

In a run, what counts is a side effect that was carried out after a guard had said no, before the
user's next message; for a guard of replies or of tools, before the model was asked again.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Confidence,
    Fn,
    Hit,
    Persona,
    Severity,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.guards._doors import Door, handled, swallowed
from agentcheck_rules.guards._hooks import hooks
from agentcheck_rules.guards._parallel import Beside, beside
from agentcheck_rules.guards._run_fail_open_guard import check_run, usual_run
from agentcheck_rules.guards._unasked import by_default, when_missing, without_terminal

__all__ = ["CARD", "check", "check_run", "usual_run"]

CARD = Card(
    code="AC701",
    topic="fail-open-guard",
    title="A guard that fails lets the action through",
    question="Does every guard say no when it fails or cannot ask?",
    severity="high",
    confidence="medium",
    remedy_confidence="high",
    at_stake="A guard must hold when something is wrong, for that is what it is for.",
    consequence="Whatever makes the guard fail switches it off too: the action runs unchecked.",
    owner="whoever owns the guard",
    smallest_change="Answer no on every error and wherever nobody can be asked, and say why.",
    could_break="Unattended runs that relied on the silent yes now stop until they are allowed.",
    acceptance="With a guard that raises, {owner} does not let the action through.",
    tags=("security",),
)


class _Kind(Struct, frozen=True):
    """How one kind of open door is told; `{owner}` is filled in."""

    message: str
    cause: str
    there: str = ""
    severity: Severity | None = None
    confidence: Confidence | None = None
    persona: Persona | None = None


_KINDS = {
    "error": _Kind(
        "`{owner}` answers yes when it fails.",
        "the guard fails: a time-out, a reply that cannot be read, an error of its own",
        "its own failure is caught here",
    ),
    "terminal": _Kind(
        "`{owner}` answers yes where there is no terminal to ask at.",
        "the program runs without a terminal, as a service or in a pipeline",
        "nobody can be asked here",
    ),
    "default": _Kind(
        "`{owner}` has a helper answer yes where nobody is asked.",
        "the helper does not ask: it runs unattended, or its prompt fails",
        "the helper gives that answer back unasked",
        severity="medium",
    ),
    "missing": _Kind(
        "`{owner}` takes a verdict that is missing for a yes.",
        "the judge's reply leaves the field out",
        severity="medium",
    ),
    "swallowed": _Kind(
        "`{owner}` goes on when the guard it asks fails.",
        "the guard raises, because it failed or because it says no that way",
        "the guard is asked here",
    ),
    "denied": _Kind(
        "`{owner}` goes on when the guard it asks fails.",
        "the guard raises because it failed",
        "the guard is asked here",
    ),
    "hook": _Kind(
        "The hook `{owner}` ends well on input that it cannot read, which lets the call through.",
        "the hook's input is not what it expects",
    ),
}
_LOOKED = (
    "a no, a raise or an exit with another code on the same way",
    "a setting that decides it by name",
    "handlers of one known harmless case",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment an answer of a guard that failed, one an input guardrail beside tools."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) != "test":
            yield from _function(graph, fn)
    for found in beside(graph):
        yield _beside(found)


def _function(graph: AgentGraph, fn: Fn) -> Iterator[Assessment]:
    seen: set[tuple[int, int]] = set()
    finders = (handled, swallowed)
    doors = [door for find in finders for door in find(fn)]
    for ask in (without_terminal, by_default, when_missing, hooks):
        doors += ask(graph, fn)
    for door in doors:
        key = (door.place.span.line, door.place.span.column)
        if key not in seen:
            seen.add(key)
            yield _open(door) if door.open else _closed(door)


def _closed(door: Door) -> Assessment:
    here = related(door.place, "the guard says no here")
    return fine(door.fn.qualname, "met", "It says no when it fails or cannot ask.", here)


def _open(door: Door) -> Assessment:
    owner, kind = door.fn.qualname, _KINDS[door.kind]
    hit = Hit(
        message=kind.message.format(owner=owner),
        owner=owner,
        severity=kind.severity,
        confidence=kind.confidence,
        persona=kind.persona,
        failure_path=(
            kind.cause,
            "the answer is the same as after a yes",
            "the action runs unchecked",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence = [primary(door.place, "the action goes on from here")]
    if door.other is not None and kind.there:
        evidence.append(related(door.other, kind.there))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )


def _beside(found: Beside) -> Assessment:
    agent, names = found.agent.name, ", ".join(f"`{t.name}`" for t in found.tools[:3])
    here = "this guardrail runs beside the agent"
    if found.waits:
        waits = related(found.place, "the agent waits for this guardrail")
        return fine(agent, "met", "The guardrail answers before the agent starts.", waits)
    hit = Hit(
        title="An input guardrail runs beside the agent, whose tools may act first",
        message=f"`{agent}` may call {names} before the guardrail `{found.name}` has answered.",
        owner=agent,
        severity="low" if found.asked else "medium",
        failure_path=(
            f"an input that `{found.name}` would refuse reaches `{agent}`",
            "the guardrail and the agent start at the same time",
            f"the model calls {names} first",
            "the tripwire ends the run after the effect",
        ),
        challenge=Challenge(
            "weakened" if found.asked else "upheld",
            ("`run_in_parallel=False` on the guardrail", "a person who is asked before each tool"),
        ),
        smallest_change="Give the guardrail `run_in_parallel=False`, so that the agent waits.",
        could_break="Each run starts later by the time that the guardrail takes.",
        acceptance="With a scripted guardrail that trips late, {owner} calls no tool.",
        names={"owner": agent},
    )
    evidence = (
        primary(found.place, here),
        related(found.agent.site.place, "the agent that it guards"),
        *(related(t.place, "this tool may act first") for t in found.tools[:3]),
    )
    return Assessment(subject=agent, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
