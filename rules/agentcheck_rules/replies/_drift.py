"""How the two of a pair differ in what keeps a run safe and its record true."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    E,
    Fn,
    Place,
    S,
    Site,
    descend,
    dotted,
    find_dispatches,
    last_name,
    lazy_re,
    protection,
)
from agentcheck_rules.replies._moving import active_reads, stale_reads, turn_loops
from agentcheck_rules.replies._provider import PROVIDER_ERRORS
from agentcheck_rules.replies._twins import Twins

_PARSERS = frozenset({"json.loads", "orjson.loads", "ujson.loads"})
_PARSE_ERRORS = ("JSONDecodeError", "ValueError", "ValidationError")
_GUARDS = lazy_re(
    r"^_*(check|validate|guard|moderate|approve|sanitize|sanitise|redact|authorize|authorise|"
    r"confirm|screen)(_|$)|_(guardrails?|approval|moderation)$"
)


class Difference(Struct, frozen=True):
    """What one of a pair has and the other lacks: where it is missing, where it is there.

    `sure` where it is a fault by itself, not only by comparison.
    """

    lacks: Fn
    missing: Place
    present: Place
    says: str
    there: str
    sure: bool = True


def differences(graph: AgentGraph, twins: Twins) -> list[Difference]:
    """Every difference of a pair, the plainest faults first."""
    found = list[Difference]()
    for one, other in ((twins.plain, twins.stream), (twins.stream, twins.plain)):
        if not _calls_other(graph, one, other):
            found += _guards(graph, one, other)
        found += _stale(graph, one, other)
    for one, other in ((twins.plain, twins.stream), (twins.stream, twins.plain)):
        found += _tests(graph, one, other)
    if not _calls(graph, twins.plain, twins.stream) and not found:
        for one, other in ((twins.plain, twins.stream), (twins.stream, twins.plain)):
            found += _checks(graph, one, other)
    return found


def _calls(graph: AgentGraph, one: Fn, other: Fn) -> bool:
    pairs = ((one, other), (other, one), (one, one), (other, other))
    return any(_calls_other(graph, fn, callee) for fn, callee in pairs)


def _calls_other(graph: AgentGraph, fn: Fn, other: Fn) -> bool:
    """Whether one of a pair leaves its work to the other, guards and all."""
    return any(other in graph.calls.callees(site) for site, _ in graph.program.calls(fn))


def _guards(graph: AgentGraph, lacks: Fn, has: Fn) -> Iterator[Difference]:
    """The same kind of call, caught in one and in the other not."""
    for what, errors in (
        ("parse of JSON", _PARSE_ERRORS),
        ("call of the model", PROVIDER_ERRORS),
        ("call of a tool", ()),
    ):
        bare, held = _sites(graph, lacks, what), _sites(graph, has, what)
        if not bare or not held:
            continue
        caught = [protection(graph, s, errors) for s in held]
        if any(c.guard is None or c.guard[1] is not has for c in caught):
            continue
        open_ones = [s for s in bare if protection(graph, s, errors).open]
        guard = caught[0].guard
        if open_ones and guard is not None:
            place = has.place(guard[0].span)
            says = f"nothing catches what this {what} raises"
            yield Difference(lacks, open_ones[0].place, place, says, f"here the {what} is caught")


def _sites(graph: AgentGraph, fn: Fn, what: str) -> list[Site]:
    if what == "call of the model":
        return graph.drives.sites.get(fn, [])
    if what == "call of a tool":
        return [d.site for d in find_dispatches(graph) if d.fn is fn]
    return [s for s, c in graph.program.calls(fn) if graph.resolver.dotted(c.func, fn) & _PARSERS]


def _stale(graph: AgentGraph, lacks: Fn, has: Fn) -> Iterator[Difference]:
    """A turn reads the agent that the run began with, where another variable holds its like now."""
    if stale_reads(graph, has):
        return
    current = next((s for loop in turn_loops(graph, has) for s in active_reads(graph, loop)), None)
    for site, active in stale_reads(graph, lacks):
        if current is not None:
            says = f"this is what the run began with; `{active}` holds what it is now"
            there = "here what it is now is read"
            yield Difference(lacks, site.place, current.place, says, there)
            return


def _tests(graph: AgentGraph, lacks: Fn, has: Fn) -> Iterator[Difference]:
    """Loops that ask for the same thing, and one of them for more."""
    for mine in turn_loops(graph, lacks):
        for theirs in turn_loops(graph, has):
            here, there = _conjuncts(mine), _conjuncts(theirs)
            if here.keys() & there.keys() and here.keys() < there.keys():
                more = next(e for key, e in there.items() if key not in here)
                place = has.place(more.span)
                says = "this loop's test has drifted from that of its twin"
                yield Difference(lacks, mine.place, place, says, "its twin also tests this")
                return


def _conjuncts(loop: AgentLoop) -> dict[frozenset[str], E.Expr]:
    """The parts of a loop's test by the names they read."""
    test = loop.stmt.test if isinstance(loop.stmt, S.While) else None
    parts = test.values if isinstance(test, E.Logic) and test.op == "and" else (test,)
    return {frozenset(_names(p)): p for p in parts if p is not None}


def _names(expr: E.Expr) -> Iterator[str]:
    for part in descend(expr):
        name = dotted(part) if isinstance(part, (E.Name, E.Attr)) else None
        if name:
            yield name


def _checks(graph: AgentGraph, lacks: Fn, has: Fn) -> Iterator[Difference]:
    """A helper named like a check that only one of them calls."""
    if not (graph.drives.reaches(lacks) and graph.drives.reaches(has)):
        return
    if any(_is_check(c) for _, c in graph.program.calls(lacks)):
        return
    for site, call in graph.program.calls(has):
        if _is_check(call) and graph.calls.callees(site):
            name = last_name(call.func)
            says = f"nothing like `{name}` is called in this one"
            place = lacks.place(lacks.facts.name_span)
            yield Difference(lacks, place, site.place, says, "its twin checks here", sure=False)
            return


def _is_check(call: E.Call) -> bool:
    return bool(_GUARDS.search((last_name(call.func) or "").lower()))
