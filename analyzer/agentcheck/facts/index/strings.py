"""F-strings: before Python 3.12 CPython's tree does not tell where their parts stand.

So the text is read: literals and replacement fields are told apart here, and what stands in a field
is parsed again for its place.
"""

from __future__ import annotations

import ast
import re
import warnings

from agentcheck.facts.escapes import literal
from agentcheck.facts.index.lowering import Lowering, Unindexed
from agentcheck.facts.merging import merged
from agentcheck.model.expr import Const, Expr, Template

_OPENING = re.compile(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
# What may stand in a field, piece by piece: strings are looked into only for their end.
_INSIDE = re.compile(r"[A-Za-z]{1,2}(?=['\"])|'''|\"\"\"|['\"]|#[^\r\n]*|[!<>=]=|.", re.DOTALL)


def template(low: Lowering, node: ast.JoinedStr) -> Expr:
    """An f-string with the literals that stand next to it. Raises Unindexed for an odd one."""
    reader = _Reader(low)
    offset, end = low.text.start(node), low.text.end(node)
    while offset < end:
        offset = low.text.next(reader.piece(offset))
    if reader.fields != _fields(node):
        raise Unindexed
    return Template(low.where(node), merged(reader.parts))


def _fields(node: ast.expr | None) -> int:
    """How many replacement fields an f-string has, those in formats too."""
    if isinstance(node, ast.FormattedValue):
        return 1 + _fields(node.format_spec)
    return sum(map(_fields, node.values)) if isinstance(node, ast.JoinedStr) else 0


class _Reader:
    """Reads literals that stand next to each other; `fields` counts the replacement fields."""

    def __init__(self, low: Lowering) -> None:
        self.parts: list[Expr] = []
        self.fields = 0
        self._low = low
        self._text = low.text.text

    def piece(self, offset: int) -> int:
        """Read one literal; where it ends."""
        opening = _OPENING.match(self._text, offset)
        if opening is None:
            raise Unindexed
        prefix, quote, start = opening[1].lower(), opening[2], opening.end()
        if "f" in prefix:
            return self._formatted(start, quote, raw="r" in prefix) + len(quote)
        end = _closing(self._text, start, quote)
        value = literal(self._text[start:end], escapes="r" not in prefix)
        after = end + len(quote)
        self.parts.append(Const(self._low.text.between(offset, after), value))
        return after

    def _formatted(self, offset: int, quote: str, *, raw: bool) -> int:
        """Read the inside of an f-string; where its closing quote stands."""
        stop = _stops(quote, raw=raw)
        while True:
            found = stop.match(self._text, offset)
            if found is None:
                raise Unindexed
            if found.end() > offset:
                self.parts.append(self._literal(offset, found.end(), raw=raw))
            offset = found.end()
            if self._text.startswith(quote, offset):
                return offset
            offset = self._field(offset, self.parts, quote)

    def _literal(self, start: int, end: int, *, raw: bool) -> Const:
        body = self._text[start:end].replace("{{", "{").replace("}}", "}")
        return Const(self._low.text.between(start, end), literal(body, escapes=not raw))

    def _field(self, offset: int, parts: list[Expr], quote: str) -> int:
        """Read a replacement field from its brace on; where it ends."""
        self.fields += 1
        start = offset + 1
        end = self._expression_end(start, quote)
        equal = self._text.startswith("=", end)
        value, shown = self._value(start, end)
        if equal:
            parts.append(Const(value.where, f"{shown}="))
            end = self._low.text.next(end + 1)
        parts.append(value)
        if self._text.startswith("!", end):
            end = self._low.text.next(self._low.text.next(end + 1) + 1)
        if self._text.startswith(":", end):
            end = self._format(end + 1, parts, quote)
        if not self._text.startswith("}", end):
            raise Unindexed
        return end + 1

    def _value(self, start: int, end: int) -> tuple[Expr, str]:
        """The expression of a field, and its source without parentheses around it."""
        low, text = self._low, self._low.text
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(f"({self._text[start:end]}\n)", mode="eval")
        except SyntaxError:
            raise Unindexed from None
        if isinstance(tree.body, ast.Tuple) and not tree.body.col_offset:
            raise Unindexed  # the parentheses that we put around it are none of its own
        text.place(tree, start)
        return low.expr(tree.body), text.of(tree.body)

    def _format(self, offset: int, parts: list[Expr], quote: str) -> int:
        """Read a format; only the expressions in it count, and no literal. Where it ends."""
        found: list[Expr] = []
        while True:
            char = self._text[offset : offset + 1]
            if char == "}":
                parts += [part for part in found if not isinstance(part, Const)]
                return offset
            if not char or self._text.startswith(quote, offset):
                raise Unindexed
            offset = self._field(offset, found, quote) if char == "{" else offset + 1

    def _expression_end(self, offset: int, quote: str) -> int:
        """Where the expression of a field ends: at its `!`, `:`, `=` or closing brace."""
        open_ones: list[str] = []
        while True:
            found = _INSIDE.match(self._text, offset)
            if found is None:
                raise Unindexed
            piece = found[0]
            if not open_ones and piece in ("!", ":", "}", "="):
                return offset
            offset = found.end()
            if piece[0] in "'\"":
                if piece == quote:
                    raise Unindexed  # since Python 3.12 the same quotes may stand inside
                offset = _closing(self._text, offset, piece) + len(piece)
            elif piece in _PAIRS:
                open_ones.append(_PAIRS[piece])
            elif piece in ")]}" and (not open_ones or open_ones.pop() != piece):
                raise Unindexed


def _closing(text: str, offset: int, quote: str) -> int:
    """Where a plain literal ends, its closing quote left out."""
    found = _BODIES[quote].match(text, offset)
    if found is None or not text.startswith(quote, found.end()):
        raise Unindexed
    return found.end()


_BODIES = {
    "'": re.compile(r"(?:[^'\\\r\n]|\\(?:\r\n|.))*", re.DOTALL),
    '"': re.compile(r"(?:[^\"\\\r\n]|\\(?:\r\n|.))*", re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*", re.DOTALL),
    '"""': re.compile(r"(?:[^\"\\]|\\.|\"(?!\"\"))*", re.DOTALL),
}


def _stops(quote: str, *, raw: bool) -> re.Pattern[str]:
    """What matches the literal text of an f-string up to its next field or its end."""
    return _STOPS[quote, raw]


def _stop(quote: str, *, raw: bool) -> re.Pattern[str]:
    mark = quote[0]
    ends = "" if len(quote) == 3 else r"\r\n"
    inner = f"|{mark}(?!{mark}{mark})" if len(quote) == 3 else ""
    escape = r"\\(?:\r\n|[^{}])" if raw else r"\\N\{[^}]*\}|\\(?:\r\n|[^{}])"
    lone = r"|\\(?=[{}])"
    return re.compile(rf"(?:[^{mark}\\{{}}{ends}]|{escape}{lone}|\{{\{{|\}}\}}{inner})*", re.DOTALL)


_STOPS = {(quote, raw): _stop(quote, raw=raw) for quote in _BODIES for raw in (False, True)}
