"""What an expression may refer to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct

from agentcheck.graph.handles import Fn, Klass
from agentcheck.model import expr as E


class Function(Struct, frozen=True):
    """A function of the target; `receiver` is the class it was reached through, if any."""

    fn: Fn
    receiver: Klass | None = None


class ClassRef(Struct, frozen=True):
    """A class of the target itself."""

    klass: Klass


class Instance(Struct, frozen=True):
    """An object of a class of the target."""

    klass: Klass


class ModuleRef(Struct, frozen=True):
    """A module of the target."""

    path: str


class External(Struct, frozen=True):
    """Something of another package by dotted name; `OpenAI().x` is `OpenAI.x`."""

    dotted: str


Symbol: TypeAlias = Function | ClassRef | Instance | ModuleRef | External
Symbols: TypeAlias = tuple[Symbol, ...]


def is_none(expr: E.Expr) -> bool:
    """Whether an expression is `None`."""
    return isinstance(expr, E.Const) and expr.value is None


def unique(symbols: Iterable[Symbol]) -> Symbols:
    """The symbols once each, order kept."""
    found = tuple(symbols)
    return found if len(found) < 2 else tuple(dict.fromkeys(found))
