"""Dispatchers that run whatever tool the model names and wait for it as long as it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Challenge,
    Dispatch,
    Fn,
    Hit,
    Tool,
    code_kind,
    find_dispatches,
    fine,
    primary,
    related,
)
from agentcheck_rules.limits._waits import Wait, ended_around, waits_of

LOOKED = (
    "wait_for, asyncio.timeout, fail_after, an alarm or a future's time-out around the call",
    "time-outs in every tool of the target that waits for something outside",
)


def dispatch_assessments(graph: AgentGraph, tools: Mapping[Fn, Tool]) -> Iterator[Assessment]:
    """One assessment a function that dispatches."""
    by_fn: dict[Fn, list[Dispatch]] = {}
    for dispatch in find_dispatches(graph):
        if code_kind(dispatch.fn.file.path) != "test":
            by_fn.setdefault(dispatch.fn, []).append(dispatch)
    if not by_fn:
        return
    waits: dict[str, list[Wait]] = {}
    for fn in tools:
        waits.setdefault(graph.program.of(fn), []).extend(waits_of(graph, fn))
    for fn, found in by_fn.items():
        here, every = found[0].site.place, waits.get(graph.program.of(fn), [])
        own = bool(every) and all(w.answer != "open" for w in every)
        if ended_around(graph, fn):
            seen = related(here, "the tool is run here")
            yield fine(fn.qualname, "met", "something ends a tool that hangs", seen)
        elif own:
            seen = related(here, "the tool is run here")
            why = "every known wait of a tool has a time-out of its own"
            yield fine(fn.qualname, "met-differently", why, seen)
        else:
            yield _open(fn, found)


def _open(fn: Fn, found: list[Dispatch]) -> Assessment:
    owner = fn.qualname
    message = f"`{owner}` runs a tool and waits for it as long as it takes."
    hit = Hit(
        title="Tools are run with no time-out",
        message=message,
        owner=owner,
        severity="low",
        confidence="medium",
        persona="pedantic",
        failure_path=(
            "the model calls a tool that hangs",
            f"`{owner}` runs it and waits",
            "nothing ends the wait, so the run stands still",
        ),
        challenge=Challenge("upheld", LOOKED),
        smallest_change="Run the tool under a time-out and answer the call id with an error when "
        "it expires.",
        acceptance="A scripted call of a tool that never returns gets a paired error from {owner} "
        "within a finite time.",
    )
    evidence = (
        primary(found[0].site.place, "whatever the tool does, it is waited for"),
        *(related(d.site.place, "and here") for d in found[1:4]),
    )
    return Assessment(subject=owner, verdict="not-met", why=message, evidence=evidence, hit=hit)
