"""What is known of one file: a pure function of its bytes and the tool's version."""

from __future__ import annotations

from datetime import date
from typing import Literal

from msgspec import Struct

from agentcheck.model.expr import Arg, Expr, Param
from agentcheck.model.location import Place, Span, Spanned, Where, span_of
from agentcheck.model.stmt import Stmt
from agentcheck.model.word import Word


class Import(Spanned, frozen=True, array_like=True, gc=False):
    """One imported name.

    `import a.b as c` has module "a.b", name None, alias "c". `from ..m import n` has module "m",
    level 2, name "n"; a star import has name "*". `function` is the index of the function it
    stands in (0 is the module). `guarded` when a `try` that catches ImportError (or a wider error)
    or an `if TYPE_CHECKING` encloses it.
    """

    where: Where
    module: Word
    level: int
    name: Word | None
    alias: Word | None
    function: int
    guarded: bool


class Function(Spanned, frozen=True, array_like=True, gc=False):
    """A function or method, or (index 0) the module's own body under the name `<module>`.

    `qualname` as Python's `__qualname__` without `<locals>` ("Swarm.run", "make.inner"). `span` is
    the whole definition from `def` on, `name_span` the name. `owner` is the index of the class
    it is directly in, `parent` the index of the enclosing function (0 at module level), both None
    for the module itself. `doc` is the docstring as a reader sees it, `doc_span` its literal.
    """

    qualname: Word
    name: Word
    where: Where
    name_where: Where
    params: tuple[Param, ...]
    returns: Expr | None
    decorators: tuple[Expr, ...]
    is_async: bool
    is_generator: bool
    doc: str | None
    doc_where: Where | None
    owner: int | None
    parent: int | None
    body: tuple[Stmt, ...]

    @property
    def name_span(self) -> Span:
        """The name that it is defined under."""
        return span_of(self.name_where)

    @property
    def doc_span(self) -> Span | None:
        """The literal that is the docstring."""
        return None if self.doc_where is None else span_of(self.doc_where)


class Class(Spanned, frozen=True, array_like=True, gc=False):
    """A class; fields are the annotated or assigned names in `body`, methods its `Define`s."""

    qualname: Word
    name: Word
    where: Where
    name_where: Where
    bases: tuple[Arg, ...]
    decorators: tuple[Expr, ...]
    doc: str | None
    parent: int
    owner: int | None
    body: tuple[Stmt, ...]

    @property
    def name_span(self) -> Span:
        """The name that it is defined under."""
        return span_of(self.name_where)


class Ignore(Struct, frozen=True, gc=False):
    """`# agentcheck: ignore[rule, AC101] reason expires=2027-01-31`; `rules` is empty when bare."""

    span: Span
    rules: tuple[str, ...]
    reason: str
    expires: date | None


class Cell(Struct, frozen=True, gc=False):
    """A code cell of a notebook: its 1-based number and the first line it has in `lines`."""

    number: int
    first_line: int


class FileFacts(Struct, frozen=True):
    """All facts of one file. `lines` hold the text (cells joined, for a notebook), no line ends."""

    path: str
    digest: str
    kind: Literal["python", "notebook"]
    lines: tuple[str, ...]
    imports: tuple[Import, ...]
    functions: tuple[Function, ...]
    classes: tuple[Class, ...]
    ignores: tuple[Ignore, ...]
    cells: tuple[Cell, ...] = ()

    def place(self, span: Span) -> Place:
        """The span as a place to show, in cell coordinates for a notebook."""
        text = self.lines[span.line - 1] if span.line <= len(self.lines) else ""
        if not self.cells:
            return Place(self.path, span, text)
        cell = max((c for c in self.cells if c.first_line <= span.line), key=lambda c: c.first_line)
        shift = cell.first_line - 1
        local = Span(span.line - shift, span.column, span.end_line - shift, span.end_column)
        return Place(self.path, local, text, cell.number)
