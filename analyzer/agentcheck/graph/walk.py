"""Walking statements and expressions, with what is around each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

from agentcheck.graph.handles import Ctx, Fn, Located, Site
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

T = TypeVar("T")


def _some(*parts: E.Expr | None) -> list[E.Expr]:
    return [part for part in parts if part is not None]


_CHILDREN: dict[type, Callable[[Any], Sequence[E.Expr]]] = {
    E.Attr: lambda e: (e.value,),
    E.Call: lambda e: (e.func, *[a.value for a in e.args]),
    E.Template: lambda e: e.parts,
    E.Items: lambda e: e.items,
    E.Entries: lambda e: [x for i in e.entries for x in _some(i.key, i.value)],
    E.Index: lambda e: (e.value, e.index),
    E.Slice: lambda e: _some(e.lower, e.upper, e.step),
    E.Unary: lambda e: (e.operand,),
    E.Binary: lambda e: (e.left, e.right),
    E.Logic: lambda e: e.values,
    E.Compare: lambda e: (e.left, *e.rights),
    E.Choice: lambda e: (e.test, e.then, e.otherwise),
    E.Lambda: lambda e: (*_some(*(p.default for p in e.params)), e.body),
    E.Comp: lambda e: (
        *_some(e.element, e.value),
        *(x for c in e.loops for x in (c.target, c.iter, *c.conditions)),
    ),
    E.Await: lambda e: (e.value,),
    E.Yield: lambda e: _some(e.value),
    E.Star: lambda e: (e.value,),
    E.Walrus: lambda e: (e.value,),
}
# Parts of these are not evaluated every time.
_MAYBE = frozenset({E.Logic, E.Choice, E.Lambda, E.Comp})


def children(expr: E.Expr) -> Sequence[E.Expr]:
    """The direct parts of an expression."""
    get = _CHILDREN.get(type(expr))
    return get(expr) if get else ()


def descend(expr: E.Expr) -> Iterator[E.Expr]:
    """The expression and all below it, outermost first."""
    stack = [expr]
    while stack:
        here = stack.pop()
        yield here
        get = _CHILDREN.get(type(here))
        if get:
            stack.extend(reversed(get(here)))


def _gather(expr: E.Expr, at: Located, found: list[Site], *, always: bool) -> None:
    """Add all below an expression, outermost first. Most have nothing below: no call for those."""
    kind = type(expr)
    below = always and kind not in _MAYBE
    first = always and kind is not E.Lambda
    for part in _CHILDREN[kind](expr):
        sure = below or first
        first = False
        found.append(Site(part, at, sure, len(found)))
        if type(part) in _CHILDREN:
            _gather(part, at, found, always=sure)


_OWN: dict[type, Callable[[Any], Sequence[E.Expr]]] = {
    S.Assign: lambda s: (
        (s.value, *s.targets)
        if s.value is not None and s.annotation is None
        else (*_some(s.value), *s.targets, *_some(s.annotation))
    ),
    S.AugAssign: lambda s: (s.value, s.target),
    S.Do: lambda s: (s.value,),
    S.Return: lambda s: (s.value,) if s.value is not None else (),
    S.Raise: lambda s: _some(s.exc, s.cause),
    S.Assert: lambda s: _some(s.test, s.message),
    S.Delete: lambda s: s.targets,
    S.If: lambda s: (s.test,),
    S.While: lambda s: (s.test,),
    S.For: lambda s: (s.iter, s.target),
    S.Try: lambda s: [h.type for h in s.handlers if h.type is not None],
    S.With: lambda s: [x for i in s.items for x in _some(i.value, i.target)],
    S.Match: lambda s: (s.subject, *_some(*(c.guard for c in s.cases))),
}


def own_exprs(stmt: S.Stmt) -> Sequence[E.Expr]:
    """The expressions of a statement itself, not of the statements inside it.

    Patterns of `match` are left out: they look like calls and call nothing.
    """
    get = _OWN.get(type(stmt))
    return get(stmt) if get else ()


COMPOUND = frozenset({S.If, S.While, S.For, S.Try, S.With, S.Match})


Block: TypeAlias = tuple[str, int, tuple[S.Stmt, ...]]


def _of_two(stmt: S.If | S.While | S.For) -> Sequence[Block]:
    return ("body", 0, stmt.body), ("orelse", 0, stmt.orelse)


def _of_try(stmt: S.Try) -> Sequence[Block]:
    handlers = [("handler", i, handler.body) for i, handler in enumerate(stmt.handlers)]
    return ("body", 0, stmt.body), *handlers, ("orelse", 0, stmt.orelse), ("final", 0, stmt.final)


_BLOCKS: dict[type, Callable[[Any], Sequence[Block]]] = {
    S.If: _of_two,
    S.While: _of_two,
    S.For: _of_two,
    S.Try: _of_try,
    S.With: lambda s: (("body", 0, s.body),),
    S.Match: lambda s: [("case", i, case.body) for i, case in enumerate(s.cases)],
}


def blocks(stmt: S.Stmt) -> Sequence[Block]:
    """The blocks inside a compound statement: part name, index, statements."""
    get = _BLOCKS.get(type(stmt))
    return get(stmt) if get else ()


def located(fn: Fn, body: tuple[S.Stmt, ...], up: Ctx | None = None) -> list[Located]:
    """Every statement below `body` in source order, nested definitions left closed."""
    found: list[Located] = []
    _locate(fn, body, up, found)
    return found


def _locate(fn: Fn, body: tuple[S.Stmt, ...], up: Ctx | None, found: list[Located]) -> None:
    for stmt in body:
        found.append(Located(stmt, fn, up))
        get = _BLOCKS.get(type(stmt))
        for part, index, block in get(stmt) if get else ():
            if block:
                _locate(fn, block, Ctx(stmt, part, up, index), found)


def sites(statements: Iterable[Located]) -> list[Site]:
    """Every expression of the statements themselves, statement by statement."""
    found: list[Site] = []
    for at in statements:
        for own in own_exprs(at.stmt):
            found.append(Site(own, at, nth=len(found)))
            if type(own) in _CHILDREN:
                _gather(own, at, found, always=True)
    return found


def statements_below(stmt: S.Stmt) -> Iterator[S.Stmt]:
    """All statements inside a compound one, at any depth."""
    stack = [s for _, _, block in blocks(stmt) for s in block]
    while stack:
        here = stack.pop()
        yield here
        if type(here) in COMPOUND:
            stack.extend(s for _, _, block in blocks(here) for s in block)


def inside(site: Site, stmt: S.Stmt, part: str | None = None) -> bool:
    """Whether the site stands below a compound statement (in the part, if one is named)."""
    return any(c.stmt is stmt and (part is None or c.part == part) for c in site.around())
