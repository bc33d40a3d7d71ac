"""The tests that decide whether a loop goes on, and what must hold for it to end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec import Struct

from agentcheck.graph.endings import after, inner_loop
from agentcheck.graph.handles import Ctx, Located
from agentcheck.graph.slots import slot
from agentcheck.graph.text import last_name
from agentcheck.graph.turn import Turn
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

MANY = 12
FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


class Exit(Struct, frozen=True):
    """A test whose outcome `when` ends the loop."""

    test: E.Expr
    when: bool
    at: Located


class Condition(Struct, frozen=True):
    """One comparison, name or call, and the outcome of it that is asked for."""

    expr: E.Expr
    truth: bool

    @property
    def op(self) -> str:
        """The operator that holds when the condition does, for a single comparison."""
        if not isinstance(self.expr, E.Compare):
            return ""
        op = self.expr.ops[0]
        return op if self.truth else FLIPPED.get(op, op)


Conjunction = tuple[Condition, ...]


def exits(turn: Turn) -> list[Exit]:
    """Every test that can end the loop, tests behind its flags included."""
    found = list(_direct(turn))
    names = set[tuple[str, bool, object]]()
    for ending in found:  # grows while it is read: a flag may be worked out from another
        for flag, truth, value in _flags(ending):
            if (flag, truth, value) not in names and len(names) < MANY:
                names.add((flag, truth, value))
                found.extend(_lowered(turn, flag, value, truth=truth))
    return found


def _direct(turn: Turn) -> Iterator[Exit]:
    if isinstance(turn.loop, S.While):
        yield Exit(turn.loop.test, when=False, at=turn.own)
    for here in turn.inside:
        nested = inner_loop(here, turn.loop)
        match here.stmt:
            case S.If():
                yield from _branches(turn, here, here.stmt, nested=nested)
            case S.Assert(test=test) if not turn.endings.swallowed(
                here, turn.loop, ("AssertionError",)
            ):
                yield Exit(test, when=False, at=here)
            case S.Match():
                yield from _cases(turn, here, here.stmt, nested=nested)
            case _:
                continue


def _branches(turn: Turn, here: Located, stmt: S.If, *, nested: bool) -> Iterator[Exit]:
    for block, when in ((stmt.body, True), (stmt.orelse, False)):
        if turn.endings.may(block, nested=nested) and not _caught(turn, here, block):
            yield Exit(stmt.test, when, here)
    goes_on = stmt.body and isinstance(stmt.body[-1], S.Jump) and stmt.body[-1].kind == "continue"
    if goes_on and not nested and turn.endings.surely(after(here)):
        yield Exit(stmt.test, when=False, at=here)


def _caught(turn: Turn, here: Located, block: tuple[S.Stmt, ...]) -> bool:
    """Whether all that the block does to leave is to raise something that is caught in the loop."""
    last = block[-1] if block else None
    if not isinstance(last, S.Raise) or turn.endings.may(block[:-1]):
        return False
    exc = last.exc.func if isinstance(last.exc, E.Call) else last.exc
    name = last_name(exc) if exc is not None else None
    return turn.endings.swallowed(here, turn.loop, (name,) if name else ())


def _cases(turn: Turn, here: Located, stmt: S.Match, *, nested: bool) -> Iterator[Exit]:
    for case in stmt.cases:
        if not turn.endings.may(case.body, nested=nested):
            continue
        if case.guard is not None:
            yield Exit(case.guard, when=True, at=here)
        if isinstance(case.pattern, (E.Const, E.Attr)):
            asked = E.Compare(case.where, stmt.subject, ("==",), (case.pattern,))
            yield Exit(asked, when=True, at=here)


def _flags(ending: Exit) -> Iterator[tuple[str, bool, object]]:
    """Names that a test asks as they are, or compares with a constant: name, outcome, constant."""
    for conjunction in conjunctions(ending.test, truth=ending.when):
        for condition in conjunction:
            match condition.expr:
                case E.Name() | E.Attr() | E.Index():
                    name = slot(condition.expr)
                    if name:
                        yield name, condition.truth, None
                case E.Compare(left=left, rights=(E.Const(value=str() | bool() as value),)):
                    name = slot(left)
                    if name and condition.op in ("==", "is"):
                        yield name, True, value
                case _:
                    continue


def _lowered(turn: Turn, flag: str, value: object, *, truth: bool) -> Iterator[Exit]:
    """What decides on a flag inside the loop."""
    for here in turn.inside:
        if not isinstance(here.stmt, S.Assign) or here.stmt.value is None:
            continue
        for target in here.stmt.targets:
            given = _given(target, here.stmt.value, flag)
            if given is None:
                continue
            if isinstance(given, E.Const):
                hit = given.value == value if value is not None else bool(given.value) is truth
                yield from _deciding(turn, here) if hit else ()
            elif value is None:
                yield Exit(given, truth, here)


def _given(target: E.Expr, value: E.Expr, flag: str) -> E.Expr | None:
    if slot(target) == flag:
        return value
    if isinstance(target, E.Items) and isinstance(value, E.Items):
        pairs = zip(target.items, value.items, strict=False)
        return next((v for t, v in pairs if slot(t) == flag), None)
    return None


def _deciding(turn: Turn, here: Located) -> Iterator[Exit]:
    """The tests around a statement inside the loop."""
    for ctx in here.around():
        if ctx.stmt is turn.loop:
            return
        if isinstance(ctx.stmt, S.If):
            yield Exit(ctx.stmt.test, ctx.part == "body", _whole(here, ctx))
        elif isinstance(ctx.stmt, S.Match) and ctx.part == "case":
            case = ctx.stmt.cases[ctx.index]
            if case.guard is not None:
                yield Exit(case.guard, when=True, at=_whole(here, ctx))


def _whole(here: Located, ctx: Ctx) -> Located:
    return Located(ctx.stmt, here.fn, ctx.up)


def conjunctions(test: E.Expr, *, truth: bool) -> list[Conjunction]:
    """The ways in which a test comes out as `truth`: each a set of conditions that all hold."""
    match test:
        case E.Unary(op="not", operand=operand):
            return conjunctions(operand, truth=not truth)
        case E.Logic(op=op, values=values):
            parts = [conjunctions(v, truth=truth) for v in values]
            if (op == "or") is truth:
                return [c for part in parts for c in part][:MANY]
            return [tuple(c for part in way for c in part) for way in _products(parts)]
        case E.Compare(left=left, ops=ops, rights=rights) if len(ops) > 1:
            lefts = (left, *rights[:-1])
            pairs = [
                Condition(E.Compare(test.where, a, (op,), (b,)), truth)
                for a, op, b in zip(lefts, ops, rights, strict=True)
            ]
            return [tuple(pairs)] if truth else [(pair,) for pair in pairs]
        case E.Call(func=E.Name(id="bool"), args=(only,)):
            return conjunctions(only.value, truth=truth)
        case _:
            return [(Condition(test, truth),)]


def _products(parts: list[list[Conjunction]]) -> list[tuple[Conjunction, ...]]:
    found = list[tuple[Conjunction, ...]]()
    for way in product(*(part[:4] for part in parts)):
        found.append(way)
        if len(found) >= MANY:
            break
    return found
