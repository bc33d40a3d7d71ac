"""Branches of a loop over tool calls that leave one call without its result."""

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
    blocks,
    descend,
    dotted,
    last_name,
    own_exprs,
    part,
    statements_below,
    string,
    tool_call_loops,
)
from agentcheck_rules.approval._tool_messages import PUTS, answers, answers_elsewhere, put_in
from agentcheck_rules.approval._verdict_tests import Verdicts

Block = Sequence[S.Stmt]
Why = Literal["denied", "unknown"]
_LOGS = frozenset(
    "print debug info warning warn error exception critical log echo secho write input len str "
    "rule".split()
)


class Branch(Struct, frozen=True):
    """A way through the loop for a call that is not run; `end` is where the way leaves it.

    `answered` where it gives the call a result of its own. `answer` is where the others get theirs.
    """

    fn: Fn
    why: Why
    test: Place
    end: Place
    answered: bool
    answer: Place


def branches(graph: AgentGraph, fn: Fn) -> Iterator[Branch]:
    """The branches on an approval, or on an unknown name, in loops that answer other calls."""
    for loop in tool_call_loops(graph, fn):
        answer = next(answers(graph, fn, loop.body), None)
        if answer is None or answers_elsewhere(graph, fn, loop):
            continue
        verdicts = Verdicts(graph, fn)
        for block, rest in _within(loop.body):
            for i, stmt in enumerate(block):
                if isinstance(stmt, S.If):
                    after = (*block[i + 1 :], *rest)
                    yield from _branch(graph, fn, loop, stmt, after, verdicts, answer)


def _within(block: Block, rest: Block = ()) -> Iterator[tuple[Block, Block]]:
    """The blocks of a turn, loops inside it left closed, each with what follows it in the turn."""
    yield block, rest
    for i, stmt in enumerate(block):
        if not isinstance(stmt, (S.For, S.While)):
            for _, _, inner in blocks(stmt):
                yield from _within(inner, (*block[i + 1 :], *rest))


def _branch(
    graph: AgentGraph,
    fn: Fn,
    loop: S.For,
    stmt: S.If,
    after: Block,
    verdicts: Verdicts,
    answer: Site,
) -> Iterator[Branch]:
    why: Why = "denied"
    said = verdicts.of(stmt.test)
    if said is None:
        said, why = _known(graph, fn, stmt.test), "unknown"
    if said is None:
        return
    other, way = (stmt.body, stmt.orelse) if said else (stmt.orelse, stmt.body)
    end = _end(graph, fn, loop, way, answer)
    if end is None and (said is False or not _leaves_out(graph, fn, other, way, after)):
        return
    answered = _handles(graph, fn, loop, way)
    place = fn.place((end or stmt).span)
    yield Branch(fn, why, fn.place(stmt.test.span), place, answered, answer.place)


def _leaves_out(graph: AgentGraph, fn: Fn, other: Block, way: Block, after: Block) -> bool:
    """`if approved: answer` and nothing else in the turn that would answer."""
    return (
        next(answers(graph, fn, other), None) is not None
        and next(answers(graph, fn, after), None) is None
        and not any(isinstance(s, (S.Raise, S.Return, S.If, S.Try)) for s in way)
    )


def _known(graph: AgentGraph, fn: Fn, test: E.Expr) -> bool | None:
    """False where a test holds for a tool's name that a table does not have."""
    match test:
        case E.Compare(left=left, ops=("not in",), rights=(right,)):
            table = isinstance(right, (E.Name, E.Attr))
            return False if table and part(graph, left, fn) == "name" else None
        case E.Unary(op="not", operand=E.Name() as name):
            return False if _looked_up(graph, fn, name) else None
        case E.Compare(left=E.Name() as name, ops=("is",), rights=(E.Const(value=None),)):
            return False if _looked_up(graph, fn, name) else None
        case _:
            return None


def _looked_up(graph: AgentGraph, fn: Fn, name: E.Name) -> bool:
    """`tool = TOOLS.get(call.function.name)`."""
    for binding in graph.program.scope(fn).get(name.id, []):
        match binding.expr:
            case E.Call(func=E.Attr(attr="get"), args=(first, *_)):
                if part(graph, first.value, fn) == "name":
                    return True
            case _:
                continue
    return False


def _end(graph: AgentGraph, fn: Fn, loop: S.For, way: Block, answer: Site) -> S.Stmt | None:
    """The last statement of a way, if it goes on without what follows in the turn."""
    last = way[-1] if way else None
    match last:
        case S.Jump(kind="continue"):
            return last
        case S.Jump(kind="break"):
            at = next((a for a in graph.program.statements(fn) if a.stmt is loop), None)
            around = [c.stmt for c in at.around()] if at is not None else []
            return last if any(isinstance(s, (S.While, S.For)) for s in around) else None
        case S.Return(value=value) if value is not None and put_in(answer) == dotted(value):
            return last
        case _:
            return None


def _handles(graph: AgentGraph, fn: Fn, loop: S.For, way: Block) -> bool:
    """Whether a way answers the call, or keeps something by which later code may answer it."""
    if next(answers(graph, fn, way), None) is not None:
        return True
    for stmt in (s for top in way for s in (top, *statements_below(top))):
        if isinstance(stmt, S.Assign) or (isinstance(stmt, S.AugAssign) and stmt.op != "+="):
            return True
        if any(_keeps(e, loop) for own in own_exprs(stmt) for e in descend(own)):
            return True
    return False


def _keeps(expr: E.Expr, loop: S.For) -> bool:
    if isinstance(expr, E.Yield):
        return True
    if not isinstance(expr, E.Call) or last_name(expr.func) in _LOGS:
        return False
    if expr.args and all(_speaks_only(a.value) for a in expr.args):
        return False
    name = loop.target.id if isinstance(loop.target, E.Name) else ""
    given = any(isinstance(a.value, E.Name) and a.value.id == name for a in expr.args)
    return last_name(expr.func) in PUTS or given


def _speaks_only(value: E.Expr) -> bool:
    """Whether a value is a message of another role, which answers no call."""
    entries = value.entries if isinstance(value, E.Entries) else ()
    roles = [string(e.value) for e in entries if e.key is not None and string(e.key) == "role"]
    return bool(roles) and roles[0] in ("user", "assistant", "system", "developer")
