"""IPython's own syntax in a cell: magics, shell escapes and help, blanked line by line."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence

from agentcheck.model.pattern import lazy_re

# Cell magics whose body is Python that runs in the notebook itself.
_PYTHON_CELLS = frozenset({"capture", "debug", "memit", "mprun", "prun", "time", "timeit"})

_CELL_MAGIC = lazy_re(r"%%(\w+)")
_LINE_MAGIC = lazy_re(r"\s*(?:%{1,2}[A-Za-z_]|!|\?)")
_HELP = lazy_re(r"\s*%{0,2}[\w.\[\]*]+\?{1,2}\s*$")
_ASSIGNED = lazy_re(r"(\s*[\w.,\s\[\]]+=\s*)(?:!|%[A-Za-z_])")
_TOKEN = lazy_re(
    r"(?P<triple>\"\"\"|''')|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|#.*"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<on>\\$)|."
)


def without_magics(lines: Sequence[str]) -> list[str] | None:
    """As many lines of plain Python, or None where it is still no Python.

    A magic that ran in a block leaves `pass`, one whose result was assigned leaves `...`.
    """
    if _is_python(lines):
        return list(lines)
    body = _CellBody(lines)
    if body.is_foreign:
        return [""] * len(lines)
    plain = body.plain()
    return plain if _is_python(plain) else None


def _is_python(lines: Sequence[str]) -> bool:
    """Whether CPython reads it; syntax newer than this interpreter gets the benefit of doubt."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class _CellBody:
    """Walks the lines of a cell and knows at each whether a statement can begin there."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._depth = 0
        self._quote = ""
        self._continued = False
        first = next((line for line in lines if line.strip()), "")
        self._magic = _CELL_MAGIC.match(first)

    @property
    def is_foreign(self) -> bool:
        """Whether a cell magic gives the whole cell to something else than this notebook."""
        return self._magic is not None and self._magic[1] not in _PYTHON_CELLS

    def plain(self) -> list[str]:
        return [self._line(line) for line in self._lines]

    def _line(self, line: str) -> str:
        if not (self._depth or self._quote or self._continued):
            replaced = _replaced(line)
            if replaced is not None:
                return replaced
        self._scan(line)
        return line

    def _scan(self, line: str) -> None:
        """Follow brackets, triple quotes and backslashes to the end of a line."""
        self._continued = False
        position = 0
        while position < len(line):
            if self._quote:
                position = self._leave_string(line, position)
            else:
                position = self._token(line, position)

    def _leave_string(self, line: str, position: int) -> int:
        end = line.find(self._quote, position)
        if end < 0:
            return len(line)
        self._quote = ""
        return end + 3

    def _token(self, line: str, position: int) -> int:
        match = _TOKEN.match(line, position)
        if match is None:
            return len(line)
        self._quote = match["triple"] or ""
        self._depth = max(self._depth + bool(match["open"]) - bool(match["close"]), 0)
        self._continued = match["on"] is not None
        return match.end()


def _replaced(line: str) -> str | None:
    """What stands for a line of IPython's, or None for a line of Python."""
    assigned = _ASSIGNED.match(line)
    if assigned is not None:
        return f"{assigned[1]}..."
    if _LINE_MAGIC.match(line) is None and _HELP.match(line) is None:
        return None
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}pass" if indent else ""
