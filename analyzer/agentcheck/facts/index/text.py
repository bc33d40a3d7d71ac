"""Where nodes of CPython's tree stand in the text, in lines and columns of characters."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Sequence

from agentcheck.model.location import END, LINE, MOST_COLUMNS, Where, packed
from agentcheck.model.pattern import lazy_re
from agentcheck.source.decode import starts_of

_COMMENT = lazy_re(r"#[^\r\n]*")
_BLANK = lazy_re(r"(?:[\s\\]|#[^\r\n]*)*")
_PLAIN = frozenset({"", "(", ", ", " ", "=", " = "})  # what most often stands between two nodes


class Text:
    """A text with its lines; offsets count characters from its start.

    CPython counts columns in bytes of UTF-8, so that lines with other characters take a detour.
    """

    def __init__(self, text: str, lines: Sequence[str]) -> None:
        self.text = text
        self.starts = starts_of(text)
        self._lines = lines
        self._wide = frozenset[int]()
        if not text.isascii():
            self._wide = frozenset(n for n, line in enumerate(lines, 1) if not line.isascii())

    def where(self, node: ast.AST) -> Where:
        """The span of a node, as CPython has it."""
        at = node.__dict__
        line: int = at["lineno"]
        end: int = at["end_lineno"]
        column: int = at["col_offset"]
        end_column: int = at["end_col_offset"]
        if self._wide:
            if line in self._wide:
                column = self._characters(line, column)
            if end in self._wide:
                end_column = self._characters(end, end_column)
        if line == end and column | end_column < MOST_COLUMNS:  # most: spares them a call
            return line << LINE | column + 1 << END | end_column + 1
        return packed(line, column + 1, end, end_column + 1)

    def _characters(self, line: int, column: int) -> int:
        return len(self._lines[line - 1].encode("utf-8")[:column].decode("utf-8"))

    def start(self, node: ast.AST) -> int:
        """The offset where a node starts."""
        line, column = node.__dict__["lineno"], node.__dict__["col_offset"]
        return self._offset(line, column)

    def end(self, node: ast.AST) -> int:
        """The offset where a node ends."""
        line, column = node.__dict__["end_lineno"], node.__dict__["end_col_offset"]
        return self._offset(line, column)

    def _offset(self, line: int, column: int) -> int:
        if line in self._wide:
            column = self._characters(line, column)
        return self.starts[line - 1] + column

    def of(self, node: ast.AST) -> str:
        """The source of a node."""
        return self.text[self.start(node) : self.end(node)]

    def place(self, tree: ast.AST, offset: int) -> None:
        """Move the nodes of a tree that was made of the text from an offset on, with one more
        character before it, to where they stand in the whole."""
        line = bisect_right(self.starts, offset)
        column = len(self.text[self.starts[line - 1] : offset].encode("utf-8")) - 1
        for node in ast.walk(tree):
            at = node.__dict__
            if "lineno" in at:
                at["col_offset"] += column if at["lineno"] == 1 else 0
                at["end_col_offset"] += column if at["end_lineno"] == 1 else 0
                at["lineno"] += line - 1
                at["end_lineno"] += line - 1

    def between(self, start: int, end: int) -> Where:
        """The span from one offset to another."""
        line, end_line = bisect_right(self.starts, start), bisect_right(self.starts, end)
        begin, end_begin = self.starts[line - 1], self.starts[end_line - 1]
        return packed(line, start - begin + 1, end_line, end - end_begin + 1)

    def code(self, start: int, end: int) -> str:
        """The text between two nodes, comments blanked."""
        gap = self.text[start:end]
        return _COMMENT.sub(lambda found: " " * len(found[0]), gap) if "#" in gap else gap

    def opened(self, start: int, end: int) -> int:
        """How many parentheses open between two nodes."""
        gap = self.text[start:end]
        return gap.count("(") if gap in _PLAIN else self.code(start, end).count("(")

    def around(self, node: ast.AST, before: int, count: int) -> tuple[int, int]:
        """Where a node starts and ends with so many pairs of parentheses around it.

        The innermost stand last in the text from `before` on.
        """
        start = self.start(node)
        gap, begin = self.code(before, start), start - before
        for _ in range(count):
            begin = gap.rindex("(", 0, begin)
        return before + begin, self.closed(self.end(node), count)

    def closed(self, offset: int, count: int) -> int:
        """The offset behind so many closing parentheses, which only blanks stand between."""
        for _ in range(count):
            offset = self.text.index(")", self.next(offset)) + 1
        return offset

    def next(self, offset: int) -> int:
        """The offset of the next character that is neither blank nor in a comment."""
        found = _BLANK.match(self.text, offset)
        return found.end() if found else offset
