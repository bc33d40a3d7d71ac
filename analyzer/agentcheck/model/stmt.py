"""Statements as rules see them. Bodies are tuples of statements; spans as LibCST's positions."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from agentcheck.model.expr import Expr
from agentcheck.model.location import Spanned, Where
from agentcheck.model.word import Word


class _Stmt(Spanned, frozen=True, array_like=True, gc=False):
    where: Where


class Assign(_Stmt, frozen=True, array_like=True, gc=False, tag="assign"):
    """`targets[0] = targets[1] = value`; `value` is None for a bare annotation `x: int`."""

    targets: tuple[Expr, ...]
    value: Expr | None
    annotation: Expr | None


class AugAssign(_Stmt, frozen=True, array_like=True, gc=False, tag="augassign"):
    """`target op value` with op as written, for example `+=`."""

    target: Expr
    op: Word
    value: Expr


class Do(_Stmt, frozen=True, array_like=True, gc=False, tag="do"):
    """An expression that stands alone."""

    value: Expr


class Return(_Stmt, frozen=True, array_like=True, gc=False, tag="return"):
    """`return value`."""

    value: Expr | None


class Raise(_Stmt, frozen=True, array_like=True, gc=False, tag="raise"):
    """`raise exc from cause`."""

    exc: Expr | None
    cause: Expr | None


class Assert(_Stmt, frozen=True, array_like=True, gc=False, tag="assert"):
    """`assert test, message`."""

    test: Expr
    message: Expr | None


class Delete(_Stmt, frozen=True, array_like=True, gc=False, tag="delete"):
    """`del targets`."""

    targets: tuple[Expr, ...]


class Scope(_Stmt, frozen=True, array_like=True, gc=False, tag="scope"):
    """`global names` or `nonlocal names`."""

    kind: Literal["global", "nonlocal"]
    names: tuple[Word, ...]


class Jump(_Stmt, frozen=True, array_like=True, gc=False, tag="jump"):
    """`pass`, `break` or `continue`."""

    kind: Literal["pass", "break", "continue"]


class If(_Stmt, frozen=True, array_like=True, gc=False, tag="if"):
    """`elif` is an `If` alone in `orelse`."""

    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class While(_Stmt, frozen=True, array_like=True, gc=False, tag="while"):
    """`while test`."""

    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class For(_Stmt, frozen=True, array_like=True, gc=False, tag="for"):
    """`for target in iter`."""

    target: Expr
    iter: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    is_async: bool


class Handler(Spanned, frozen=True, array_like=True, gc=False):
    """`except type as name`; `type` is None for a bare except."""

    where: Where
    type: Expr | None
    name: Word | None
    body: tuple[Stmt, ...]


class Try(_Stmt, frozen=True, array_like=True, gc=False, tag="try"):
    """`try`, also `except*`."""

    body: tuple[Stmt, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]


class WithItem(Struct, frozen=True, array_like=True, gc=False):
    """`value as target`."""

    value: Expr
    target: Expr | None


class With(_Stmt, frozen=True, array_like=True, gc=False, tag="with"):
    """`with items`."""

    items: tuple[WithItem, ...]
    body: tuple[Stmt, ...]
    is_async: bool


class Case(Spanned, frozen=True, array_like=True, gc=False):
    """One `case`: the pattern as the nearest expression (a class pattern as a `Call`, ...).

    `binds` are the names the pattern captures.
    """

    where: Where
    pattern: Expr
    binds: tuple[Word, ...]
    guard: Expr | None
    body: tuple[Stmt, ...]


class Match(_Stmt, frozen=True, array_like=True, gc=False, tag="match"):
    """`match subject`."""

    subject: Expr
    cases: tuple[Case, ...]


class Define(_Stmt, frozen=True, array_like=True, gc=False, tag="define"):
    """A `def` or `class` stands here; `index` points into the file's functions or classes."""

    kind: Literal["function", "class"]
    name: Word
    index: int


class Bring(_Stmt, frozen=True, array_like=True, gc=False, tag="bring"):
    """An import stands here; `indices` point into the file's imports."""

    indices: tuple[int, ...]


Stmt: TypeAlias = (
    Assign
    | AugAssign
    | Do
    | Return
    | Raise
    | Assert
    | Delete
    | Scope
    | Jump
    | If
    | While
    | For
    | Try
    | With
    | Match
    | Define
    | Bring
)
