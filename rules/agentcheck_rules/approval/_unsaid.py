"""Approvals that come without anybody's word: time-outs, stand-ins, switches and silent critics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    S,
    Site,
    function_asks,
    last_name,
    lazy_re,
    string,
)
from agentcheck_rules.guards._doors import bodies, is_wide
from agentcheck_rules.guards._verdicts import (
    Answer,
    guard_answer,
    lets_through,
    meaning,
    refuses,
    snake,
)

How = Literal["enter", "timeout", "approver", "switch", "critic"]
Block = Sequence[S.Stmt]
_EMPTY = frozenset("Empty QueueEmpty NoAnswer NoResponse Expired ApprovalTimeout".split())
_WAITS = frozenset({"wait", "poll", "select", "acquire"})
_SWITCH = lazy_re(
    r"^_*(auto_(approve|confirm|accept)|skip_(approval|confirmation|permissions)|yolo|"
    r"always_(approve|allow)|approve_all|dangerously_skip_permissions)"
)
_APPROVER = lazy_re(r"approv|confirm|permission|authori[sz]|consent|ask_user|can_use_tool|reviewer")
# Who is gone wants to leave; nothing is approved there.
_LEAVES = lazy_re(r"exit|quit|leave|abort|shutdown|logout")
_REFUSED = frozenset(
    "reject rejected deny denied unsafe block blocked fail failed disapprove disapproved".split()
)


class Unsaid(Struct, frozen=True):
    """An answer where nobody has said anything. `open` where it is yes."""

    fn: Fn
    how: How
    place: Place
    open: bool
    other: Place | None = None


def by_timeout(graph: AgentGraph, fn: Fn) -> Iterator[Unsaid]:
    """What a function that asks somebody answers when no answer comes in time."""
    guard = guard_answer(fn)
    asks = guard is not None or (fn.index > 0 and function_asks(graph.calls, fn, 1))
    if not asks or _LEAVES.search(fn.name.lower()):
        return
    answer = True if guard is None else guard
    for block in bodies(fn.facts.body):
        for stmt in block:
            for way, place in _late(fn, stmt, plain=guard is not None):
                returned = next((s for s in way if isinstance(s, S.Return)), None)
                if returned is None:
                    continue
                at = fn.place(returned.span)
                if lets_through(returned.value, answer):
                    yield Unsaid(fn, "timeout", at, open=True, other=place)
                elif refuses(returned.value, answer):
                    yield Unsaid(fn, "timeout", at, open=False, other=place)


def _late(fn: Fn, stmt: S.Stmt, *, plain: bool) -> Iterator[tuple[Block, Place]]:
    """The ways of a function that are taken when nothing was heard.

    `plain` where wide handlers are those of a guard, which another rule looks at.
    """
    if type(stmt) is S.Try:
        for handler in stmt.handlers:
            kinds = handler.type.items if isinstance(handler.type, E.Items) else (handler.type,)
            empty = any(k is not None and last_name(k) in _EMPTY for k in kinds)
            if empty or (not plain and handler.type is not None and is_wide(handler)):
                yield handler.body, fn.place(handler.span)
        return
    if type(stmt) is not S.If:
        return
    match stmt:
        case S.If(test=E.Unary(op="not", operand=operand)) if _waits(operand):
            yield stmt.body, fn.place(stmt.span)
        case _:
            return


def _waits(expr: E.Expr) -> bool:
    """`event.wait(timeout=30)`, `queue.poll(30)`."""
    if isinstance(expr, E.Await):
        expr = expr.value
    return isinstance(expr, E.Call) and last_name(expr.func) in _WAITS and bool(expr.args)


def by_stand_in(fn: Fn) -> Iterator[Unsaid]:
    """Parameters for an approver whose default says yes to everything, and switches that are on."""
    for param in fn.facts.params:
        if param.default is None:
            continue
        word = snake(param.name)
        if _APPROVER.search(word) and isinstance(param.default, E.Lambda):
            opened = isinstance(param.default.body, E.Const) and param.default.body.value is True
            yield Unsaid(fn, "approver", fn.place(param.span), open=opened)
        elif _SWITCH.match(word) and isinstance(param.default, E.Const):
            opened = param.default.value is True
            yield Unsaid(fn, "switch", fn.place(param.span), open=opened)


def by_stand_in_later(graph: AgentGraph, fn: Fn) -> Iterator[Unsaid]:
    """`self.approve = approve or (lambda call: True)`."""
    for site in graph.program.shaped(fn, E.Logic):
        if not isinstance(site.expr, E.Logic) or site.expr.op != "or":
            continue
        last = site.expr.values[-1]
        named = _APPROVER.search(snake(last_name(site.expr.values[0]) or ""))
        if named and isinstance(last, E.Lambda) and isinstance(last.body, E.Const):
            yield Unsaid(fn, "approver", site.place, open=last.body.value is True)


def by_silence(graph: AgentGraph, fn: Fn) -> Iterator[Unsaid]:
    """A critic whose reply counts as a yes unless it holds the word for no."""
    answer = guard_answer(fn)
    for site in graph.program.shaped(fn, E.Compare):
        found = _refusal_sought(site.expr)
        if found is None:
            continue
        text, without = found
        goes_on = _meant(site, answer)
        if goes_on is not None and without is goes_on and _from_model(graph, text, fn):
            yield Unsaid(fn, "critic", site.place, open=True)


def _refusal_sought(expr: E.Expr) -> tuple[E.Expr, bool] | None:
    """The reply in `"REJECT" not in reply`, with what the test says of a reply without it."""
    match expr:
        case E.Compare(left=left, ops=("in" | "not in" as op,), rights=(right,)):
            word = (string(left) or "").strip().lower()
            return (right, op == "not in") if word in _REFUSED else None
        case _:
            return None


def _meant(site: Site, answer: Answer) -> bool | None:
    """The truth value that lets the action go on, where a test's value is the guard's answer."""
    stmt = site.at.stmt
    if isinstance(stmt, S.Return) and stmt.value is site.expr:
        return answer
    if isinstance(stmt, S.Assign) and stmt.value is site.expr:
        return next(
            (m for t in stmt.targets if (m := meaning(last_name(t) or "")) is not None), None
        )
    if isinstance(stmt, (S.Return, S.Assign)) and isinstance(stmt.value, E.Call):
        for arg in stmt.value.args:
            if arg.value is site.expr and arg.name is not None:
                return meaning(arg.name)
    return None


def _from_model(graph: AgentGraph, text: E.Expr, fn: Fn) -> bool:
    """Whether a text is a model's reply."""
    calls = {id(c.site.expr) for c in graph.model_calls} | {id(r.site.expr) for r in graph.runs}
    root = text
    while isinstance(root, E.Call) and isinstance(root.func, E.Attr):
        if root.func.attr not in ("upper", "strip", "casefold", "lower"):
            break
        root = root.func.value
    return any(id(o.expr) in calls for o in graph.tracer.local(root, fn))
