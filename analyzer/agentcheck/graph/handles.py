"""Handles on definitions and places of a program: cheap, compared by identity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct, field

from agentcheck.model.expr import Call, Expr
from agentcheck.model.facts import Class, FileFacts, Function
from agentcheck.model.location import Place, Span
from agentcheck.model.stmt import For, Stmt, Try, While


class Fn(Struct, frozen=True, eq=False, gc=False):
    """A function of the program; index 0 of a file is the module's own body."""

    file: FileFacts
    index: int
    facts: Function

    @property
    def name(self) -> str:
        """The bare name."""
        return self.facts.name

    @property
    def qualname(self) -> str:
        """The name within its file, "Swarm.run"; for a module's body the file's path."""
        return self.file.path if self.index == 0 else self.facts.qualname

    def place(self, span: Span) -> Place:
        """A span of this function's file as a place."""
        return self.file.place(span)

    def __repr__(self) -> str:
        return f"<Fn {self.file.path}:{self.facts.qualname}>"


class Klass(Struct, frozen=True, eq=False):
    """A class of the program. `methods` holds its own, by name; the last definition wins."""

    file: FileFacts
    index: int
    facts: Class
    methods: dict[str, Fn] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The bare name."""
        return self.facts.name

    def __repr__(self) -> str:
        return f"<Klass {self.file.path}:{self.facts.qualname}>"


class Ctx(Struct, frozen=True, eq=False, gc=False):
    """The compound statement around a place, which part of it, and what is around that.

    Parts: body, orelse, final, handler (with `index`), test (in its own condition).
    """

    stmt: Stmt
    part: str
    up: Ctx | None
    index: int = 0

    def chain(self) -> Iterator[Ctx]:
        """From the innermost outwards."""
        here: Ctx | None = self
        while here is not None:
            yield here
            here = here.up


class Located(Struct, frozen=True, eq=False, gc=False):
    """A statement with what is around it."""

    stmt: Stmt
    fn: Fn
    up: Ctx | None

    def around(self) -> Iterator[Ctx]:
        """The contexts around this statement, innermost first."""
        return self.up.chain() if self.up else iter(())

    @property
    def place(self) -> Place:
        """The statement as a place."""
        return self.fn.place(self.stmt.span)


class Site(Struct, frozen=True, eq=False, gc=False):
    """An expression with the statement it stands in.

    `always` is False where evaluation depends on an `and`, `or`, `if` expression, a lambda or a
    comprehension inside the statement. `nth` is its place among those it was gathered with.
    """

    expr: Expr
    at: Located
    always: bool = True
    nth: int = 0

    @property
    def fn(self) -> Fn:
        """The function it is in."""
        return self.at.fn

    @property
    def call(self) -> Call:
        """The expression as the call it is. Raises TypeError where it is something else."""
        expr = self.expr
        if type(expr) is not Call:
            raise TypeError(f"{self.place} is no call")
        return expr

    @property
    def place(self) -> Place:
        """The expression as a place."""
        return self.fn.place(self.expr.span)

    def around(self) -> Iterator[Ctx]:
        """The contexts around it, innermost first; its own statement counts when compound."""
        if type(self.at.stmt) is While:
            yield Ctx(self.at.stmt, "test", self.at.up)
        yield from self.at.around()

    def loops(self) -> Iterator[While | For]:
        """The loops whose every turn evaluates it, innermost first."""
        for ctx in self.around():
            stmt = ctx.stmt
            if (type(stmt) is While or type(stmt) is For) and ctx.part in ("body", "test"):
                yield stmt

    def tries(self) -> Iterator[Try]:
        """The `try` statements in whose body it stands, innermost first."""
        for ctx in self.around():
            stmt = ctx.stmt
            if type(stmt) is Try and ctx.part == "body":
                yield stmt


Definition: TypeAlias = Fn | Klass
