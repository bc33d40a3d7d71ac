"""Patterns of `case` as the nearest expression, with the names they bind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from agentcheck.facts.context import MAX_DEPTH, Context
from agentcheck.model.expr import (
    Arg,
    Binary,
    Call,
    Entries,
    Entry,
    Expr,
    Items,
    Name,
    Star,
    Walrus,
)


def pattern(context: Context, node: cst.MatchPattern) -> tuple[Expr, tuple[str, ...]]:
    """A pattern as an expression: a class pattern as a `Call`, `a | b` as a `Binary`,
    `p as x` as a `Walrus`, a mapping's rest as an entry without key; and the names it binds.
    """
    reader = _Reader(context)
    return reader.read(node), tuple(reader.binds)


class _Reader:
    """Reads one case's pattern, gathering what it binds."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.binds: list[str] = []
        self._depth = 0

    def read(self, node: cst.CSTNode) -> Expr:
        lower = _TABLE.get(type(node))
        if lower is None or self._depth > MAX_DEPTH:
            return self.context.other(node)
        self._depth += 1
        found = lower(self, node)
        self._depth -= 1
        return found

    def bind(self, node: cst.Name) -> Name:
        self.binds.append(node.value)
        return Name(self.context.where(node), node.value)

    def value(self, node: cst.MatchValue | cst.MatchSingleton) -> Expr:
        return self.context.expr(node.value)

    def list_(self, node: cst.MatchList) -> Expr:
        """`[a, b]`, and `a, b` without brackets."""
        items = self._elements(node.patterns)
        return Items(self.context.where(node), "list" if node.lbracket else "tuple", items)

    def tuple_(self, node: cst.MatchTuple) -> Expr:
        return Items(self.context.where(node), "tuple", self._elements(node.patterns))

    def _elements(
        self, nodes: Sequence[cst.MatchSequenceElement | cst.MatchStar]
    ) -> tuple[Expr, ...]:
        return tuple(
            self.star(node) if isinstance(node, cst.MatchStar) else self.read(node.value)
            for node in nodes
        )

    def star(self, node: cst.MatchStar) -> Expr:
        where = self.context.where(node)
        return Star(where, Name(where, "_") if node.name is None else self.bind(node.name))

    def mapping(self, node: cst.MatchMapping) -> Expr:
        entries = [
            Entry(self.context.expr(element.key), self.read(element.pattern))
            for element in node.elements
        ]
        if node.rest is not None:
            entries.append(Entry(None, self.bind(node.rest)))
        return Entries(self.context.where(node), tuple(entries))

    def of_class(self, node: cst.MatchClass) -> Expr:
        where = self.context.where
        args = [Arg(self.read(e.value), None, "", where(e)) for e in node.patterns]
        args += [Arg(self.read(e.pattern), e.key.value, "", where(e)) for e in node.kwds]
        return Call(where(node), self.context.expr(node.cls), tuple(args))

    def as_(self, node: cst.MatchAs) -> Expr:
        if node.pattern is None:
            return self.bind(node.name) if node.name else Name(self.context.where(node), "_")
        inner = self.read(node.pattern)
        if node.name is None:
            return inner
        return Walrus(self.context.where(node), self.bind(node.name).id, inner)

    def either(self, node: cst.MatchOr) -> Expr:
        between = self.context.positions.between
        first, *rest = node.patterns
        found = self.read(first.pattern)
        for element in rest:
            right = self.read(element.pattern)
            found = Binary(between(first.pattern, element.pattern), "|", found, right)
        return found


_TABLE: dict[type[cst.CSTNode], Callable[[_Reader, Any], Expr]] = {
    cst.MatchValue: _Reader.value,
    cst.MatchSingleton: _Reader.value,
    cst.MatchList: _Reader.list_,
    cst.MatchTuple: _Reader.tuple_,
    cst.MatchMapping: _Reader.mapping,
    cst.MatchClass: _Reader.of_class,
    cst.MatchAs: _Reader.as_,
    cst.MatchOr: _Reader.either,
}
