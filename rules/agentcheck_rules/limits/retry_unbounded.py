"""A call that failed is made again, and nothing counts the attempts or the time.

A rate limit passes; a revoked key, an empty account or a reply that can never be parsed does not.
Retried without end, each of them holds a worker for ever, and every attempt may be paid for.

Three shapes are looked at. A retry library told of no end: `backoff.on_exception` with neither
`max_tries` nor `max_time`, `tenacity.retry` without `stop`, `retry` without `tries`, `retrying`
without a stop. A function that calls itself from the handler of its own failed call, with the
same arguments. A `while` loop that success leaves and that an exception sends round again, around
a call that asks a model or goes over the network.

Bounded is a loop with a counter, a clock or a budget that ends it, and a function that calls
itself with a changed number or compares one. A service that waits for a person or for work on
every turn is no retry. Where arguments are spread, or the function calls itself with something
else (a shorter text, another model), it cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    E,
    Evidence,
    Fn,
    Hit,
    Persona,
    Repeat,
    Site,
    Verdict,
    code_kind,
    find_repeats,
    fine,
    primary,
    related,
)
from agentcheck_rules.limits._outside import outside_call, outside_calls, reaches_model
from agentcheck_rules.limits._retry_libraries import Library, ends, library_calls, library_of
from agentcheck_rules.limits._tool_reach import tool_functions

__all__ = ["CARD", "check"]
CARD = Card(
    code="AC103",
    topic="retry-unbounded",
    title="A failing call is retried without end",
    question="Does every retry end after a number of attempts or a time?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="A fault that lasts must end the call, not hold the run.",
    consequence="With a revoked key, an empty account or a service that is down the caller waits "
    "for ever, and nobody is told.",
    owner="whoever makes the call",
    smallest_change="Give the retry a number of attempts or a total time, and raise the last error "
    "when it is reached.",
    could_break="Calls that came through after a long outage now fail.",
    acceptance="A scripted call that always fails makes {owner} raise after a finite number of "
    "attempts.",
    tags=("liveness", "spend"),
)
PACED = ("person", "work", "schedule")


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a retry: of a library, of a loop, of a function that calls itself."""
    yield from _by_library(graph)
    for repeat in find_repeats(graph, lambda site: _goes_out(graph, site)):
        yield _assess(graph, repeat)


def _goes_out(graph: AgentGraph, site: Site) -> bool:
    known = outside_call(graph, site)
    return reaches_model(graph, site) or (known is not None and known[1].kind == "HTTP")


def _by_library(graph: AgentGraph) -> Iterator[Assessment]:
    calls = library_calls(graph)
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test":
            continue
        host = graph.program.parent(fn) or fn
        for decorator in fn.facts.decorators:
            library = library_of(graph, decorator, host)
            if library is not None:
                yield _library(graph, fn, decorator, library)
        for call in calls.get(fn, ()):
            library = library_of(graph, call, fn)
            if library is not None:
                yield _library(graph, fn, call, library)


def _library(graph: AgentGraph, fn: Fn, expr: E.Expr, library: Library) -> Assessment:
    owner, place, answer = fn.qualname, fn.place(expr.span), ends(library, expr)
    if answer is None:
        return fine(
            owner, "cannot-tell", "its arguments are spread", related(place, "this retries")
        )
    if answer:
        return fine(owner, "met", "the retry is told when to end", related(place, "this retries"))
    keywords = " or ".join(f"`{k}`" for k in library.ends)
    message = f"`{owner}` is called again on failure with no {keywords}: without end."
    looked = (f"{keywords} among the arguments", "the library's default, which is no end")
    hit = Hit(
        message=message,
        owner=owner,
        persona=_persona(graph, fn),
        failure_path=_path(owner),
        challenge=Challenge("upheld", looked),
        smallest_change=f"Pass {keywords}.",
    )
    return _not_met(owner, hit, (primary(place, f"no {keywords} is given"),))


def _persona(graph: AgentGraph, fn: Fn) -> Persona | None:
    """What has nothing to do with a model, a tool or the network is for the curious."""
    near = graph.drives.reaches(fn) or fn in tool_functions(graph) or outside_calls(graph, fn)
    return None if near else "pedantic"


def _assess(graph: AgentGraph, repeat: Repeat) -> Assessment:
    owner = repeat.fn.qualname
    here = related(repeat.site.place, "this is made again after a failure")
    bound = next((b for b in repeat.bounds if b.holds), None)
    if bound is not None:
        verdict: Verdict = "met-differently" if bound.kind in PACED else "met"
        return fine(owner, verdict, "something ends it", here, related(bound.place, "this ends it"))
    if repeat.counted is not None:
        seen = related(repeat.counted.place, "a number is moved or compared")
        return fine(owner, "met", "its attempts are counted", here, seen)
    if repeat.doubt:
        return fine(owner, "cannot-tell", f"Whether it ends: {repeat.doubt}.", here)
    return _endless(graph, repeat)


def _endless(graph: AgentGraph, repeat: Repeat) -> Assessment:
    owner, recursion = repeat.fn.qualname, repeat.how == "recursion"
    way = "calls itself again" if recursion else "goes round again"
    message = f"`{owner}` {way} when its call fails, and nothing counts the attempts."
    hit = Hit(
        message=message,
        owner=owner,
        confidence=None if reaches_model(graph, repeat.site) else "medium",
        persona=_persona(graph, repeat.fn),
        failure_path=_path(owner),
        challenge=Challenge("upheld", LOOKED),
    )
    says = "the function calls itself again here" if recursion else "a failure begins another turn"
    evidence = (
        primary(repeat.again.place, says),
        related(repeat.site.place, "this is what fails"),
    )
    return _not_met(owner, hit, evidence)


LOOKED = (
    "a counter, clock or budget compared in the loop or the function",
    "an argument that moves from one attempt to the next",
    "a handler that leaves for errors that last",
)


def _path(owner: str) -> tuple[str, ...]:
    return (
        f"`{owner}` makes its call, and it fails",
        "the failure is caught and the call made again",
        "the fault lasts, so every attempt meets it and nothing counts the attempts",
    )


def _not_met(owner: str, hit: Hit, evidence: tuple[Evidence, ...]) -> Assessment:
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
