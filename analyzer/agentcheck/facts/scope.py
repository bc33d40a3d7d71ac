"""Where the lowering of a file is, and what it has found, whichever tree it reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from agentcheck.model.facts import Class, Function, Import
from agentcheck.model.location import START, Where
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
    where: Where, body: tuple[Stmt, ...], doc: str | None, doc_where: Where | None
) -> Function:
    """A whole file as the function that its body is."""
    return Function(
        qualname="<module>",
        name="<module>",
        where=where,
        name_where=START,
        params=(),
        returns=None,
        decorators=(),
        is_async=False,
        is_generator=False,
        doc=doc,
        doc_where=doc_where,
        owner=None,
        parent=None,
        body=body,
    )
