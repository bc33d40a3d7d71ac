"""Expressions as rules see them: a small frozen tree, lowered from LibCST.

Every node carries its span. Shapes that no rule asks about become `Other`, which keeps its text,
so nothing is dropped silently.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from agentcheck.model.location import Spanned, Where
from agentcheck.model.word import Word


class _Expr(Spanned, frozen=True, array_like=True, gc=False):
    where: Where


class Name(_Expr, frozen=True, array_like=True, gc=False, tag="name"):
    """`x`."""

    id: Word


class Attr(_Expr, frozen=True, array_like=True, gc=False, tag="attr"):
    """`value.attr`."""

    value: Expr
    attr: Word


class Arg(Spanned, frozen=True, array_like=True, gc=False):
    """One argument of a call or one base of a class; `name` is the keyword, `star` "*" or "**"."""

    value: Expr
    name: Word | None
    star: Literal["", "*", "**"]
    where: Where


class Call(_Expr, frozen=True, array_like=True, gc=False, tag="call"):
    """`func(args)`; the span is that of the whole call."""

    func: Expr
    args: tuple[Arg, ...]


class Const(_Expr, frozen=True, array_like=True, gc=False, tag="const"):
    """A literal str (implicit concatenation joined), int, float, bool or None."""

    value: str | int | float | bool | None


class Template(_Expr, frozen=True, array_like=True, gc=False, tag="template"):
    """An f-string: `parts` alternate literal `Const`s and the expressions put between them."""

    parts: tuple[Expr, ...]


class Items(_Expr, frozen=True, array_like=True, gc=False, tag="items"):
    """A list, tuple or set display."""

    kind: Literal["list", "tuple", "set"]
    items: tuple[Expr, ...]


class Entry(Struct, frozen=True, array_like=True, gc=False):
    """One `key: value` of a dict display; `key` is None for `**value`."""

    key: Expr | None
    value: Expr


class Entries(_Expr, frozen=True, array_like=True, gc=False, tag="entries"):
    """A dict display."""

    entries: tuple[Entry, ...]


class Index(_Expr, frozen=True, array_like=True, gc=False, tag="index"):
    """`value[index]`; several indices become an `Items` tuple."""

    value: Expr
    index: Expr


class Slice(_Expr, frozen=True, array_like=True, gc=False, tag="slice"):
    """`lower:upper:step` inside an index."""

    lower: Expr | None
    upper: Expr | None
    step: Expr | None


class Unary(_Expr, frozen=True, array_like=True, gc=False, tag="unary"):
    """`op operand`, with op one of `not`, `-`, `+`, `~`."""

    op: Word
    operand: Expr


class Binary(_Expr, frozen=True, array_like=True, gc=False, tag="binary"):
    """`left op right` for arithmetic and bit operators."""

    op: Word
    left: Expr
    right: Expr


class Logic(_Expr, frozen=True, array_like=True, gc=False, tag="logic"):
    """`a and b and c`: a chain of one operator, flattened."""

    op: Literal["and", "or"]
    values: tuple[Expr, ...]


class Compare(_Expr, frozen=True, array_like=True, gc=False, tag="compare"):
    """`left ops[0] rights[0] ops[1] rights[1] ...`; ops as written (`not in`, `is not`, ...)."""

    left: Expr
    ops: tuple[Word, ...]
    rights: tuple[Expr, ...]


class Choice(_Expr, frozen=True, array_like=True, gc=False, tag="choice"):
    """`then if test else otherwise`."""

    test: Expr
    then: Expr
    otherwise: Expr


class Param(Spanned, frozen=True, array_like=True, gc=False):
    """A parameter; `kind` tells how an argument may reach it."""

    name: Word
    kind: Literal["positional_only", "positional", "star", "keyword", "double_star"]
    annotation: Expr | None
    default: Expr | None
    where: Where


class Lambda(_Expr, frozen=True, array_like=True, gc=False, tag="lambda"):
    """`lambda params: body`."""

    params: tuple[Param, ...]
    body: Expr


class CompFor(Struct, frozen=True, array_like=True, gc=False):
    """One `for target in iter if conditions` of a comprehension."""

    target: Expr
    iter: Expr
    conditions: tuple[Expr, ...]


class Comp(_Expr, frozen=True, array_like=True, gc=False, tag="comp"):
    """A comprehension; `value` is set for a dict comprehension (`element: value`)."""

    kind: Literal["list", "set", "dict", "generator"]
    element: Expr
    value: Expr | None
    loops: tuple[CompFor, ...]


class Await(_Expr, frozen=True, array_like=True, gc=False, tag="await"):
    """`await value`."""

    value: Expr


class Yield(_Expr, frozen=True, array_like=True, gc=False, tag="yield"):
    """`yield value`; `many` for `yield from`."""

    value: Expr | None
    many: bool


class Star(_Expr, frozen=True, array_like=True, gc=False, tag="star"):
    """`*value` in a display or a target."""

    value: Expr


class Walrus(_Expr, frozen=True, array_like=True, gc=False, tag="walrus"):
    """`(target := value)`."""

    target: Word
    value: Expr


class Other(_Expr, frozen=True, array_like=True, gc=False, tag="other"):
    """A shape kept as text only: bytes, complex and huge numbers, `...`, templates of 3.14."""

    text: str


Expr: TypeAlias = (
    Name
    | Attr
    | Call
    | Const
    | Template
    | Items
    | Entries
    | Index
    | Slice
    | Unary
    | Binary
    | Logic
    | Compare
    | Choice
    | Lambda
    | Comp
    | Await
    | Yield
    | Star
    | Walrus
    | Other
)
