"""A tool, or what an agent's loop calls, waits for something outside with no time-out.

A connection that stalls, a command that asks a question or a test that hangs holds the whole
agent: no turn follows, no error reaches the model, and the caller waits with it.

Looked at are the calls of the network and of other programs in the bodies of tools and in what
they enter, and those made on the turns of an agent's loop. What counts is the default of each
library: requests, urllib, smtplib, subprocess and the connections of the standard library wait
for ever unless told otherwise, httpx and aiohttp do not. Bounded is a call with a time-out of its
own, a command that begins with `timeout`, a process that is killed or waited for elsewhere with
one, and a wait that `asyncio.wait_for`, `asyncio.timeout`, `anyio.fail_after`, an alarm or a
decorator ends from outside.

Two further questions are for the curious. A dispatcher that runs whatever tool the model names,
with nothing that ends a tool which hangs, while tools of the target are not bounded themselves.
A client of a model whose SDK has no time-out by default and that was given none; the clients of
OpenAI and Anthropic have one of ten minutes, and only an explicit None takes it away.

With the option `most-seconds` a time-out that is longer is reported as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    RuleOptions,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.limits._long_waits import long_waits
from agentcheck_rules.limits._slow_clients import client_assessments
from agentcheck_rules.limits._slow_tools import dispatch_assessments
from agentcheck_rules.limits._timed import timed_waits
from agentcheck_rules.limits._tool_reach import loop_functions, tool_functions
from agentcheck_rules.limits._waits import Wait, waits_of

__all__ = ["CARD", "Options", "check"]
CARD = Card(
    code="AC104",
    topic="no-timeout",
    title="A tool waits for something outside with no time-out",
    question="Does every wait of a tool for something outside end by itself?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="One stalled connection or hung command must not hold the agent.",
    consequence="The run stands still with no error; the model is never told, and the worker and "
    "whoever waits for it are held.",
    owner="whoever owns the tool",
    smallest_change="Pass a `timeout` to the call, catch its expiry, and return an error that the "
    "model can read.",
    could_break="Calls that need longer than the time-out now fail.",
    acceptance="With a server that accepts and never answers, or a command that sleeps, {owner} "
    "returns an error within its time-out.",
    tags=("liveness", "robustness"),
)
SHOWN = 6


class Options(RuleOptions, frozen=True, kw_only=True):
    """`[rules.no-timeout]`."""

    most_seconds: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="The longest time-out that a tool may set for a wait."),
    ] = None


def check(graph: AgentGraph, options: Options) -> Iterator[Assessment]:
    """One assessment a function that waits, a dispatcher, a kind of model client in a file."""
    tools, looped = tool_functions(graph), loop_functions(graph)
    for fn in dict.fromkeys((*tools, *looped)):
        if code_kind(fn.file.path) == "test":
            continue
        waits = waits_of(graph, fn)
        left = [w for w in waits if w.answer == "open" and _counts(w, in_tool=fn in tools)]
        if left:
            tool = tools[fn].name if fn in tools else None
            yield _unbounded(fn, left, tool)
        elif waits:
            most = options.most_seconds
            yield (most and long_waits(graph, fn, waits, most)) or _harmless(fn, waits)
    yield from dispatch_assessments(graph, tools)
    yield from client_assessments(graph)


def _counts(wait: Wait, *, in_tool: bool) -> bool:
    """Outside tools only the network counts: a program that the loop itself starts is its own."""
    return in_tool or wait.outside.kind != "subprocess"


def _harmless(fn: Fn, waits: list[Wait]) -> Assessment:
    subject, first = fn.qualname, waits[0]
    here = related(first.site.place, f"`{first.name}` waits here")
    if any(w.answer == "spread" for w in waits):
        return fine(subject, "cannot-tell", "its arguments are spread", here)
    if any(w.answer in ("around", "open") for w in waits):
        return fine(subject, "met-differently", "something around the call ends it", here)
    return fine(subject, "met", "its time-out is finite", here)


LOOKED = (
    "a `timeout` of the call and the default of its library",
    "wait_for, asyncio.timeout, fail_after or an alarm in the function and its callers",
    "a decorator that names a time-out",
    "socket.setdefaulttimeout",
)


def _unbounded(fn: Fn, left: list[Wait], tool: str | None) -> Assessment:
    owner, first = fn.qualname, left[0]
    more = f", {len(left)} times" if len(left) > 1 else ""
    where = f"the tool `{tool}`" if tool else "an agent's loop"
    message = f"`{owner}` waits for `{first.name}` with no time-out{more}; {where} waits with it."
    hit = Hit(
        title=None if tool else "An agent's loop waits for something outside with no time-out",
        message=message,
        owner=owner,
        confidence=None if tool else "medium",
        failure_path=(
            f"the model calls `{tool}`" if tool else f"a turn of the loop calls `{owner}`",
            f"`{first.name}` waits for something that never answers",
            "no time-out ends the wait, so the run stands still",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"tool": tool} if tool else {},
        fix=timed_waits(left),
    )
    evidence = (
        primary(first.site.place, f"`{first.name}` waits with no time-out"),
        *(related(w.site.place, f"so does `{w.name}`") for w in left[1:SHOWN]),
    )
    return Assessment(subject=owner, verdict="not-met", why=message, evidence=evidence, hit=hit)
