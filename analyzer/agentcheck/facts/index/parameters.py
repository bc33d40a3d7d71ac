"""Parameters of functions and lambdas, in the order they are written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from agentcheck.model.expr import Param
from agentcheck.model.location import Where

if TYPE_CHECKING:
    from agentcheck.facts.index.lowering import Lowering
    from agentcheck.facts.parameters import Kind


def params(low: Lowering, node: ast.arguments) -> tuple[Param, ...]:
    """Every parameter; the bare `*` and `/` leave no entry, only the kinds they cause."""
    plain = [*node.posonlyargs, *node.args]
    if not plain and not node.vararg and not node.kwonlyargs and not node.kwarg:
        return ()
    missing: list[ast.expr | None] = [None] * (len(plain) - len(node.defaults))
    defaults = [*missing, *node.defaults]
    first = len(node.posonlyargs)
    found = [
        _param(low, arg, "positional_only" if i < first else "positional", defaults[i])
        for i, arg in enumerate(plain)
    ]
    if node.vararg is not None:
        found.append(_param(low, node.vararg, "star"))
    pairs = zip(node.kwonlyargs, node.kw_defaults, strict=True)
    found += [_param(low, arg, "keyword", default) for arg, default in pairs]
    if node.kwarg is not None:
        found.append(_param(low, node.kwarg, "double_star"))
    return tuple(found)


def _param(low: Lowering, arg: ast.arg, kind: Kind, default: ast.expr | None = None) -> Param:
    annotation = low.maybe(arg.annotation)
    return Param(arg.arg, kind, annotation, low.maybe(default), _name_where(low, arg, kind))


def _name_where(low: Lowering, arg: ast.arg, kind: Kind) -> Where:
    """The name alone, with the stars before it."""
    start = low.text.start(arg)
    end = start + len(arg.arg)
    if kind in ("star", "double_star"):
        start = low.text.text.rindex("*", 0, start) - (kind == "double_star")
    return low.text.between(start, end)
