"""Where a value is kept: names, attributes and constant keys as one short text."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.graph.walk import children
from agentcheck.model import expr as E


def slot(expr: E.Expr) -> str | None:
    """`turn`, `self.turn`, `state['turns']` (also for `state.get("turns")`); else None."""
    match expr:
        case E.Name():
            return expr.id
        case E.Walrus():
            return expr.target
        case E.Attr(value=value, attr=attr):
            base = slot(value)
            return f"{base}.{attr}" if base else None
        case E.Index(value=value, index=E.Const(value=key)):
            base = slot(value)
            return f"{base}[{key!r}]" if base else None
        case E.Call(func=E.Attr(attr="get", value=value), args=(first, *_)):
            base = slot(value)
            key = first.value.value if isinstance(first.value, E.Const) else None
            return f"{base}[{key!r}]" if base and isinstance(key, str) else None
        case _:
            return None


def outer(expr: E.Expr) -> Iterator[E.Expr]:
    """The parts of an expression that are slots, each at its full length only."""
    stack = [expr]
    while stack:
        here = stack.pop()
        if slot(here) is None:
            stack.extend(children(here))
        else:
            yield here


def outer_slots(expr: E.Expr) -> Iterator[str]:
    """The slots read in an expression, each at its full length only."""
    yield from (name for part in outer(expr) if (name := slot(part)))


def root(name: str) -> str:
    """The first name of a slot."""
    return name.split(".", 1)[0].split("[", 1)[0]
