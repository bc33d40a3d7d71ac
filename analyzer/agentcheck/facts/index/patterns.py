"""`match` statements of CPython's tree, their patterns as the nearest expression."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from agentcheck.facts.index.lowering import Lowering, ToStmt, Unindexed
from agentcheck.facts.index.wrapping import inside, is_wrapped
from agentcheck.model.expr import (
    Arg,
    Binary,
    Call,
    Const,
    Entries,
    Entry,
    Expr,
    Items,
    Name,
    Star,
    Walrus,
)
from agentcheck.model.location import Where, joined, packed, span_of
from agentcheck.model.pattern import lazy_re
from agentcheck.model.stmt import Case, Match, Stmt

_PLAIN = (ast.MatchValue, ast.MatchSingleton)
_CASE = lazy_re(r"[ \t\f]*case\b")
_LAST = lazy_re(r"[)\]:]|if\b")  # what follows the comma behind the last element
_REST = lazy_re(r"\*\*[\s\\]*(\w+)")


def match(low: Lowering, node: ast.Match) -> Stmt:
    """A `match` with its cases."""
    subject = low.expr(node.subject)
    cases = tuple([_case(low, case) for case in node.cases])
    return Match(low.until(node, cases[-1].body), subject, cases)


def _case(low: Lowering, node: ast.match_case) -> Case:
    reader = _Reader(low)
    shape = reader.read(node.pattern)
    guard, body = low.maybe(node.guard), low.block(node.body)
    start = packed(*_case_start(low, node.pattern.lineno) * 2)
    where = joined(start, body[-1].where)
    return Case(where, shape, tuple(reader.binds), guard, body)


def _case_start(low: Lowering, line: int) -> tuple[int, int]:
    """Line and column of the word `case`, which begins a line: that of its pattern or before."""
    for number in range(line, 0, -1):
        start = low.text.starts[number - 1]
        found = _CASE.match(low.text.text, start)
        if found is not None:
            return number, found.end() - len("case") - start + 1
    raise Unindexed


class _Reader:
    """Reads one case's pattern, gathering what it binds."""

    def __init__(self, low: Lowering) -> None:
        self.low = low
        self.binds: list[str] = []

    def read(self, node: ast.pattern) -> Expr:
        lower = _TABLE.get(node.__class__)
        if lower is None:
            raise Unindexed
        return lower(self, node)

    def _bind(self, name: str, where: Where) -> Name:
        self.binds.append(name)
        return Name(where, name)

    def value(self, node: ast.MatchValue) -> Expr:
        return self.low.expr(node.value)

    def singleton(self, node: ast.MatchSingleton) -> Expr:
        return Const(self.low.where(node), node.value)

    def sequence(self, node: ast.MatchSequence) -> Expr:
        """`[a, b]`, `(a, b)`, and `a, b` without either."""
        items = tuple([self.read(pattern) for pattern in node.patterns])
        is_list = self.low.text.text.startswith("[", self.low.text.start(node))
        return Items(self._whole(node), "list" if is_list else "tuple", items)

    def _whole(self, node: ast.pattern) -> Where:
        """The span of a pattern; the parentheses of a tuple are not of it."""
        if isinstance(node, ast.MatchSequence):
            text = self.low.text
            if text.text.startswith("(", text.start(node)) and is_wrapped(
                self.low, node, node.patterns
            ):
                return inside(self.low, node, node.patterns)
        return self.low.where(node)

    def star(self, node: ast.MatchStar) -> Expr:
        text, own = self.low.text, self.low.where(node)
        where = text.between(text.start(node), self._behind(text.end(node)))
        if node.name is None:
            return Star(where, Name(where, "_"))
        return Star(where, self._bind(node.name, self._last(own, node.name)))

    def _behind(self, end: int) -> int:
        """Where an element ends for LibCST, which counts the comma behind it, and the blanks up to
        the next one, as its own."""
        text = self.low.text
        comma = text.next(end)
        if not text.text.startswith(",", comma):
            return end
        following = text.next(comma + 1)
        return comma + 1 if _LAST.match(text.text, following) else following

    def _last(self, where: Where, name: str) -> Where:
        """The span of a name at the end of another."""
        span = span_of(where)
        return packed(span.end_line, span.end_column - len(name), span.end_line, span.end_column)

    def mapping(self, node: ast.MatchMapping) -> Expr:
        pairs = zip(node.keys, node.patterns, strict=True)
        entries = [Entry(self.low.expr(key), self.read(pattern)) for key, pattern in pairs]
        if node.rest is not None:
            entries.append(Entry(None, self._rest(node, node.rest)))
        return Entries(self.low.where(node), tuple(entries))

    def _rest(self, node: ast.MatchMapping, name: str) -> Name:
        text = self.low.text
        start = text.end(node.patterns[-1]) if node.patterns else text.start(node)
        found = _REST.search(text.code(start, text.end(node)))
        if found is None or found[1] != name:
            raise Unindexed
        return self._bind(name, text.between(start + found.start(1), start + found.end(1)))

    def of_class(self, node: ast.MatchClass) -> Expr:
        text, args, owned = self.low.text, list[Arg](), 1
        before = text.end(node.cls)
        for pattern in node.patterns:
            value = self.read(pattern)
            args.append(Arg(value, None, "", self._around(pattern, before, owned)))
            before, owned = text.end(pattern), 0
        for name, pattern in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
            value = self.read(pattern)
            args.append(Arg(value, name, "", self._keyword(name, pattern, before)))
            before = text.end(pattern)
        return Call(self.low.where(node), self.low.expr(node.cls), tuple(args))

    def _around(self, node: ast.pattern, before: int, owned: int) -> Where:
        """The span of an element of a class: a pattern with the parentheses around it."""
        text = self.low.text
        wrapped = text.opened(before, text.start(node)) - owned
        start, end = text.around(node, before, wrapped)
        return text.between(start, self._behind(end))

    def _keyword(self, name: str, node: ast.pattern, before: int) -> Where:
        """The span of `name=pattern`."""
        text = self.low.text
        gap = text.code(before, text.start(node))
        equal = gap.rindex("=")
        wrapped = gap.count("(", equal)
        start = before + gap.rindex(name, 0, equal)
        return text.between(start, self._behind(text.closed(text.end(node), wrapped)))

    def as_(self, node: ast.MatchAs) -> Expr:
        where = self.low.where(node)
        if node.pattern is None:
            return self._bind(node.name, where) if node.name else Name(where, "_")
        inner, name = self.read(node.pattern), node.name or "_"
        return Walrus(where, self._bind(name, self._last(where, name)).id, inner)

    def either(self, node: ast.MatchOr) -> Expr:
        """`a | b | c`; parentheses around a plain value belong to it, around others they do not."""
        text, (first, *rest) = self.low.text, node.patterns
        found, start = self.read(first), self._whole(first)
        if isinstance(first, _PLAIN):
            start = text.between(text.start(node), text.start(node))
        before = text.end(first)
        for pattern in rest:
            right, end = self.read(pattern), self._whole(pattern)
            if isinstance(pattern, _PLAIN):
                wrapped = text.opened(before, text.start(pattern))
                end = text.between(*text.around(pattern, before, wrapped))
            found = Binary(joined(start, end), "|", found, right)
            before = text.end(pattern)
        return found


_TABLE: dict[type[ast.AST], Callable[[_Reader, Any], Expr]] = {
    ast.MatchValue: _Reader.value,
    ast.MatchSingleton: _Reader.singleton,
    ast.MatchSequence: _Reader.sequence,
    ast.MatchMapping: _Reader.mapping,
    ast.MatchClass: _Reader.of_class,
    ast.MatchStar: _Reader.star,
    ast.MatchAs: _Reader.as_,
    ast.MatchOr: _Reader.either,
}
TABLE: dict[type[ast.AST], ToStmt] = {ast.Match: match}
