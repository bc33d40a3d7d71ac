"""Neighbouring literals as one."""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.model.expr import Const, Expr
from agentcheck.model.location import joined


def merged(parts: Sequence[Expr]) -> tuple[Expr, ...]:
    """Neighbouring literals become one, so that literals and expressions alternate."""
    found: list[Expr] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, Const) and isinstance(last, Const):
            found[-1] = _join(last, part)
        else:
            found.append(part)
    return tuple(found)


def _join(first: Const, second: Const) -> Const:
    return Const(joined(first.where, second.where), f"{first.value}{second.value}")
