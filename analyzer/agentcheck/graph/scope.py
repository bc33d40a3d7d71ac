"""What each name of a function or module is bound to: every binding, in source order."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.graph.handles import Definition, Fn, Located
from agentcheck.graph.walk import descend, located, own_exprs
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.facts import Import

How = Literal[
    "value", "element", "item", "enter", "augmented", "param", "import", "define", "caught", "match"
]


class Binding(Struct, frozen=True, eq=False, gc=False):
    """One way a name gets its value.

    `value`: the expression itself; `element`: an element of it; `item`: its item `index`;
    `enter`: what its context manager gives; `augmented`: added to; `param`: the parameter
    `param`; `define`: the definition; `caught`: an exception; `match`: part of a match subject.
    """

    how: How
    expr: E.Expr | None = None
    index: int = 0
    param: E.Param | None = None
    imported: Import | None = None
    definition: Definition | None = None
    at: Located | None = None


Bindings = dict[str, list[Binding]]


def targets(
    target: E.Expr, value: E.Expr | None, how: How, at: Located
) -> Iterator[tuple[str, Binding]]:
    """The names that an assignment target binds, with how."""
    match target:
        case E.Name():
            yield target.id, Binding(how, value, at=at)
        case E.Items():
            yield from _unpacked(target, value, how, at)
        case E.Star():
            yield from targets(target.value, value, how, at)
        case _:
            return


def _unpacked(
    target: E.Items, value: E.Expr | None, how: How, at: Located
) -> Iterator[tuple[str, Binding]]:
    pairwise = (
        isinstance(value, E.Items) and how == "value" and len(value.items) == len(target.items)
    )
    for i, item in enumerate(target.items):
        if pairwise and isinstance(value, E.Items):
            yield from targets(item, value.items[i], "value", at)
        elif isinstance(item, E.Name):
            kind: How = "item" if how == "value" else how
            yield item.id, Binding(kind, value, index=i, at=at)
        else:
            yield from targets(item, value, "element", at)


_BINDING = frozenset({S.Assign, S.AugAssign, S.For, S.With, S.Try, S.Match})
_DEFINING = frozenset({S.Define, S.Bring})


def _of_statement(at: Located) -> Iterator[tuple[str, Binding]]:
    match at.stmt:
        case S.Assign() as s:
            for target in s.targets:
                yield from targets(target, s.value, "value", at)
        case S.AugAssign() as s if isinstance(s.target, E.Name):
            yield s.target.id, Binding("augmented", s.value, at=at)
        case S.For() as s:
            yield from targets(s.target, s.iter, "element", at)
        case S.With() as s:
            for item in s.items:
                if item.target is not None:
                    yield from targets(item.target, item.value, "enter", at)
        case S.Try() as s:
            for handler in s.handlers:
                if handler.name:
                    yield handler.name, Binding("caught", handler.type, at=at)
        case S.Match() as s:
            for case in s.cases:
                for name in case.binds:
                    yield name, Binding("match", s.subject, at=at)
        case _:
            return


def _inline(at: Located) -> Iterator[tuple[str, Binding]]:
    """Names bound inside expressions: walrus and comprehension targets."""
    for own in own_exprs(at.stmt):
        for expr in descend(own):
            if isinstance(expr, E.Walrus):
                yield expr.target, Binding("value", expr.value, at=at)
            elif isinstance(expr, E.Comp):
                for loop in expr.loops:
                    yield from targets(loop.target, loop.iter, "element", at)


def bind(
    fn: Fn,
    statements: list[Located],
    definitions: dict[int, Definition],
    inline: Container[int] | None = None,
) -> Bindings:
    """All bindings of a function's own scope. `definitions` maps a Define's id to its handle.

    `inline` are the ids of the statements that may bind names inside expressions, None for any.
    """
    found: Bindings = {}
    for param in fn.facts.params:
        found.setdefault(param.name, []).append(Binding("param", param=param))
    for at in statements:
        kind = type(at.stmt)
        if kind in _BINDING:
            for name, binding in _of_statement(at):
                found.setdefault(name, []).append(binding)
        if inline is None or id(at) in inline:
            for name, binding in _inline(at):
                found.setdefault(name, []).append(binding)
        if kind in _DEFINING:
            for name, binding in _defined(at, fn, definitions):
                found.setdefault(name, []).append(binding)
    return found


def _defined(
    at: Located, fn: Fn, definitions: dict[int, Definition]
) -> Iterator[tuple[str, Binding]]:
    match at.stmt:
        case S.Define() as s if id(s) in definitions:
            yield s.name, Binding("define", definition=definitions[id(s)], at=at)
        case S.Bring() as s:
            for index in s.indices:
                imported = fn.file.imports[index]
                yield bound_name(imported), Binding("import", imported=imported, at=at)
        case _:
            return


def bound_name(imported: Import) -> str:
    """The name an import binds: `a` for `import a.b`, the alias where there is one."""
    if imported.alias:
        return imported.alias
    return imported.name or imported.module.partition(".")[0]


def statements_of(fn: Fn) -> list[Located]:
    """Every statement of a function's body."""
    return located(fn, fn.facts.body)
