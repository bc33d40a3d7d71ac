"""Where the lowering of a file is, and what it has found, whichever tree it reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from agentcheck.model.facts import Class, Function, Import
from agentcheck.model.location import Span
from agentcheck.model.stmt import Stmt


class Scope(NamedTuple):
    """Where the walk is: indices into functions and classes, and the prefix of names below.

    `owner` is the class directly around, or None inside a function or at module level.
    """

    function: int
    owner: int | None
    prefix: str
    guarded: bool

    def guard(self, *, when: bool) -> Scope:
        """The same scope, its imports guarded when `when` holds."""
        return self._replace(guarded=True) if when and not self.guarded else self


class Gathering:
    """The current scope, and what was found so far: functions and classes before their bodies."""

    def __init__(self) -> None:
        self.scope = Scope(0, None, "", guarded=False)
        self.generators: set[int] = set()
        self.imports: list[Import] = []
        self.functions: list[Function | None] = []
        self.classes: list[Class | None] = []

    @contextmanager
    def within(self, scope: Scope) -> Iterator[None]:
        """Lower what follows in another scope."""
        before, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = before


def whole_file(
    span: Span, body: tuple[Stmt, ...], doc: str | None, doc_span: Span | None
) -> Function:
    """A whole file as the function that its body is."""
    return Function(
        qualname="<module>",
        name="<module>",
        span=span,
        name_span=Span(1, 1, 1, 1),
        params=(),
        returns=None,
        decorators=(),
        is_async=False,
        is_generator=False,
        doc=doc,
        doc_span=doc_span,
        owner=None,
        parent=None,
        body=body,
    )
