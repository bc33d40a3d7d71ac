"""Whether the wait for something outside has an end, by its own time-out or one around it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    S,
    Site,
    argument,
    code_kind,
    descend,
    has_spread,
    last_name,
    string,
    worth_of,
)
from agentcheck_rules.limits._outside import Outside, outside_calls

# What ends the wait for something else: asyncio, anyio, trio, async-timeout, func-timeout, signal.
_WAITERS = frozenset(
    "wait_for timeout timeout_at fail_after move_on_after func_timeout alarm setitimer Timer "
    "time_limit as_completed".split()
)
_ENDS = frozenset({"kill", "terminate", "send_signal", "killpg"})
Answer = Literal["bounded", "around", "spread", "open"]


class Wait(Struct, frozen=True):
    """One wait for something outside, and what is known of its end."""

    site: Site
    name: str
    outside: Outside
    answer: Answer


def waits_of(graph: AgentGraph, fn: Fn) -> list[Wait]:
    """Every wait of a function, in source order."""
    found = outside_calls(graph, fn)
    return [Wait(s, name, out, _answer(graph, s, name, out)) for s, name, out in found]


def _answer(graph: AgentGraph, site: Site, name: str, outside: Outside) -> Answer:
    given = argument(site.call, outside.keyword, outside.position)
    if given is not None:
        return "open" if is_none(graph, given, site.fn) else "bounded"
    if outside.bounded or (name == "subprocess.run" and _starts_timeout(site.call)):
        return "bounded"
    if has_spread(site.call):
        return "spread"
    if outside.kind == "subprocess" and _ended_by_hand(graph, site):
        return "around"
    if (
        not name.startswith("requests")
        and outside.kind != "subprocess"
        and _default_set(graph, site.fn)
    ):
        return "around"
    return "around" if ended_around(graph, site.fn) else "open"


def is_none(graph: AgentGraph, expr: E.Expr, fn: Fn) -> bool:
    """Whether every value that a time-out may have is None."""
    if isinstance(expr, E.Call) and (last_name(expr.func) or "").endswith("Timeout"):
        given = argument(expr, "timeout", 0) or argument(expr, "total", 0)
        return len(expr.args) == 1 and given is not None and is_none(graph, given, fn)
    worths = {limit.worth for limit in worth_of(graph.tracer, expr, fn)}
    return worths == {"none"}


def _starts_timeout(call: E.Call) -> bool:
    """`subprocess.run(["timeout", "30", ...])`."""
    command = call.args[0].value if call.args else None
    if isinstance(command, E.Items) and command.items:
        return string(command.items[0]) in ("timeout", "gtimeout")
    return (string(command) or "").startswith("timeout ")


def _ended_by_hand(graph: AgentGraph, site: Site) -> bool:
    """Whether the function kills the process, or waits for it elsewhere with a time-out."""
    for other, call in graph.program.calls(site.fn):
        if last_name(call.func) in _ENDS:
            return True
        waits = last_name(call.func) in ("communicate", "wait", "poll", "join")
        if other.expr is not site.expr and waits and argument(call, "timeout") is not None:
            return True
    return False


def ended_around(graph: AgentGraph, fn: Fn) -> bool:
    """Whether something in the function or in one that calls it ends the wait."""
    callers = [c.fn for c in graph.calls.callers(fn) if code_kind(c.fn.file.path) != "test"]
    return _waits_in(graph, fn) or _decorated(fn) or any(_waits_in(graph, c) for c in callers)


def _default_set(graph: AgentGraph, fn: Fn) -> bool:
    """Whether `socket.setdefaulttimeout` is called; requests overrides it with None."""
    setting = graph.program.call_index.get("setdefaulttimeout", ())
    return any(graph.program.together(site.fn, fn) for site in setting)


def _waits_in(graph: AgentGraph, fn: Fn) -> bool:
    return any(last_name(call.func) in _WAITERS for _, call in graph.program.calls(fn)) or any(
        isinstance(at.stmt, S.With) and _names_timeout(at.stmt)
        for at in graph.program.statements(fn)
    )


def _names_timeout(stmt: S.With) -> bool:
    return any(
        "timeout" in (last_name(e.func) or "").lower()
        for item in stmt.items
        for e in descend(item.value)
        if isinstance(e, E.Call)
    )


def _decorated(fn: Fn) -> bool:
    """A decorator called for time-outs, or told of one."""
    return any(
        "timeout" in word.lower()
        for decorator in fn.facts.decorators
        for e in descend(decorator)
        for word in (
            [last_name(e) or ""]
            if not isinstance(e, E.Call)
            else [last_name(e.func) or "", *(a.name or "" for a in e.args)]
        )
    )
