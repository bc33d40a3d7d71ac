"""Writing SVG: escaped text, short numbers, one sheet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

from agentcheck.model.pattern import lazy_re
from agentcheck.report.escape import visible

# Outside the characters of XML 1.0, section 2.2, and not shown as an escape by `visible`.
_NO_XML = lazy_re("[\ufffe\uffff\U0001fffe-\U0001ffff]|[\U0002fffe-\U0002ffff]")


def escaped(text: str) -> str:
    """Text for elements and quoted attributes."""
    return escape(_NO_XML.sub("\ufffd", visible(text)), quote=True)


def number(value: float) -> str:
    """A length in pixels with at most one decimal."""
    return f"{round(value, 1):g}"


class Sheet:
    """The parts written so far. `prefix` begins every id and class."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._parts: list[str] = []

    def add(self, *parts: str) -> None:
        """Write elements."""
        self._parts.extend(parts)

    @contextmanager
    def group(self, transform: str) -> Iterator[None]:
        """Write what follows under a transformation."""
        self.add(f'<g transform="{transform}">')
        yield
        self.add("</g>")

    @property
    def text(self) -> str:
        """All of it, an element a line."""
        return "\n".join(self._parts) + "\n"
