"""Statements that count: what they move, by how much, and what helpers move for their callers."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from agentcheck.graph.handles import Fn, Klass, Located, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.resolve import ClassRef, Instance
from agentcheck.graph.slots import root, slot
from agentcheck.graph.turn import PUTS
from agentcheck.graph.walk import descend, own_exprs
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

_STEPS = {"+=", "-=", "*=", "/=", "//=", "<<=", ">>=", "**="}
_OPERATORS = {"+", "-", "*", "/", "//", "<<", ">>", "**"}


class Step(Struct, frozen=True):
    """A slot that is moved, by what, and where in the loop (None: in a helper)."""

    slot: str
    amount: E.Expr
    at: Located | None


def steps(stmt: S.Stmt) -> Iterator[tuple[str, E.Expr]]:
    """The slots that a statement counts up or down, with the amount."""
    match stmt:
        case S.AugAssign(op=op, target=target, value=value) if op in _STEPS:
            name = slot(target)
            if name:
                yield name, value
        case S.Assign(targets=targets, value=value) if value is not None:
            for target in targets:
                yield from _assigned(target, value)
        case _:
            pass
    for own in own_exprs(stmt):
        for expr in descend(own):
            if isinstance(expr, E.Walrus):
                yield from _assigned(E.Name(expr.where, expr.target), expr.value)


def _assigned(target: E.Expr, value: E.Expr) -> Iterator[tuple[str, E.Expr]]:
    if isinstance(target, E.Items) and isinstance(value, E.Items):
        for inner, given in zip(target.items, value.items, strict=False):
            yield from _assigned(inner, given)
        return
    name = slot(target)
    if name is None:
        return
    match value:
        case E.Binary(op=op, left=left, right=right) if op in _OPERATORS:
            if slot(left) == name:
                yield name, right
            elif slot(right) == name:
                yield name, left
        case E.Call(func=E.Name(id="next")):
            yield name, value
        case E.Call(func=E.Name(id="min" | "max"), args=args):
            yield from (s for a in args for s in _assigned(target, a.value))
        case _:
            return


def resets(stmt: S.Stmt) -> Iterator[str]:
    """The slots that a statement sets to a constant."""
    if isinstance(stmt, S.Assign) and isinstance(stmt.value, E.Const):
        yield from (name for t in stmt.targets if (name := slot(t)))


def puts(stmt: S.Stmt) -> Iterator[tuple[str, E.Expr, bool]]:
    """The containers that a statement adds to, what is added, and whether that is one element."""
    for own in own_exprs(stmt):
        for expr in descend(own):
            match expr:
                case E.Call(func=E.Attr(attr=attr, value=base), args=(_, *_) as args) if (
                    attr in PUTS
                ):
                    name, given = slot(base), args[-1].value
                    if name:
                        yield name, given, _one(given) if attr in _MANY else True
                case _:
                    continue
    if isinstance(stmt, S.AugAssign) and stmt.op == "+=":
        name = slot(stmt.target)
        if name and not isinstance(stmt.value, E.Const):
            yield name, stmt.value, _one(stmt.value)
    elif isinstance(stmt, S.Assign) and isinstance(stmt.value, E.Binary) and stmt.value.op == "+":
        for target in stmt.targets:
            name = slot(target)
            if name and slot(stmt.value.left) == name:
                yield name, stmt.value.right, _one(stmt.value.right)


_MANY = {"extend", "update", "extendleft"}


def _one(given: E.Expr) -> bool:
    return isinstance(given, E.Items) and len(given.items) == 1


class Effects(Struct):
    """What functions of the target move or fill on behalf of their callers."""

    tracer: Tracer
    _memo: dict[tuple[Fn, bool], list[tuple[str, E.Expr]]] = field(default_factory=dict)
    _plain: dict[Fn, list[tuple[str, E.Expr]]] = field(default_factory=dict)

    def at(
        self, site: Site, *, filled: bool = False, depth: int = 2
    ) -> Iterator[tuple[str, E.Expr]]:
        """The slots, as the caller names them, that a call moves (or adds to)."""
        for callee in self.tracer.calls.callees(site):
            if callee is site.fn or callee.name == "__init__":
                continue
            renamed = self._renamed(site, callee)
            for name, amount in self._own(callee, depth, filled=filled):
                first = root(name)
                if first in renamed:
                    yield renamed[first] + name[len(first) :], amount

    def _own(self, fn: Fn, depth: int, *, filled: bool) -> list[tuple[str, E.Expr]]:
        key = (fn, filled)
        if key not in self._memo:
            self._memo[key] = []
            self._memo[key] = list(self._find(fn, depth, filled=filled))
        return self._memo[key]

    def _find(self, fn: Fn, depth: int, *, filled: bool) -> Iterator[tuple[str, E.Expr]]:
        if filled:
            for at in self.tracer.program.statements(fn):
                yield from ((name, given) for name, given, _ in puts(at.stmt))
        else:
            yield from self.of_function(fn)
        if depth > 0:
            for site, _ in self.tracer.program.calls(fn):
                yield from self.at(site, filled=filled, depth=depth - 1)

    def _renamed(self, site: Site, callee: Fn) -> dict[str, str]:
        """The callee's parameters, `self` and outer names as the caller's slots."""
        given = self.tracer.calls.bound(site, callee)
        found = {name: s for name, value in given.items() if (s := slot(value))}
        params, func = callee.facts.params, getattr(site.expr, "func", None)
        if params and params[0].name not in given and isinstance(func, E.Attr):
            receiver = slot(func.value)
            if receiver:
                found[params[0].name] = receiver
        return found | {name: name for name in self._shared(callee, site.fn)}

    def _shared(self, callee: Fn, caller: Fn) -> Iterator[str]:
        """Names that a function rebinds, or fills, outside itself and that its caller sees too."""
        for stmt in callee.facts.body:
            if isinstance(stmt, S.Scope):
                yield from stmt.names
        if self.tracer.program.parent(callee) is caller:
            own = self.tracer.program.scope(callee)
            yield from (n for n in self.tracer.program.scope(caller) if n not in own)

    def of_function(self, fn: Fn) -> list[tuple[str, E.Expr]]:
        """The slots that a function moves in its own statements."""
        if fn not in self._plain:
            self._plain[fn] = [
                found for at in self.tracer.program.statements(fn) for found in steps(at.stmt)
            ]
        return self._plain[fn]

    def of_object(self, expr: E.Expr, fn: Fn, *, filled: bool = False) -> bool:
        """Whether some method of an attribute's own class moves (or fills) the attribute."""
        if not isinstance(expr, E.Attr):
            return False
        return any(
            name == f"{method.facts.params[0].name}.{expr.attr}"
            for klass in self._classes(expr.value, fn)
            for method in klass.methods.values()
            if method.facts.params and method.name != "__init__"
            for name, _ in (
                self._own(method, 0, filled=True) if filled else self.of_function(method)
            )
        )

    def _classes(self, base: E.Expr, fn: Fn) -> Iterator[Klass]:
        for symbol in self.tracer.resolver.of(base, fn):
            if isinstance(symbol, (Instance, ClassRef)):
                yield from self.tracer.resolver.mro(symbol.klass)
