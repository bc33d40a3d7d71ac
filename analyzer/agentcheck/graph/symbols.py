"""What an expression may refer to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from agentcheck.graph.handles import Fn, Klass
from agentcheck.model import expr as E


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the target; `receiver` is the class it was reached through, if any."""

    fn: Fn
    receiver: Klass | None = None


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the target itself."""

    klass: Klass


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the target."""

    klass: Klass


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the target."""

    path: str


@dataclass(frozen=True, slots=True)
class External:
    """Something of another package by dotted name; `OpenAI().x` is `OpenAI.x`."""

    dotted: str


Symbol: TypeAlias = Function | ClassRef | Instance | ModuleRef | External
Symbols: TypeAlias = tuple[Symbol, ...]


def is_none(expr: E.Expr) -> bool:
    """Whether an expression is `None`."""
    return isinstance(expr, E.Const) and expr.value is None


def unique(symbols: Iterable[Symbol]) -> Symbols:
    """The symbols once each, order kept."""
    return tuple(dict.fromkeys(symbols))
