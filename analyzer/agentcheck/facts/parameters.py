"""Parameters of functions and lambdas, in the order they are written."""

from __future__ import annotations

from typing import Literal

import libcst as cst

from agentcheck.facts.context import Context
from agentcheck.model.expr import Param

Kind = Literal["positional_only", "positional", "star", "keyword", "double_star"]


def params(context: Context, node: cst.Parameters) -> tuple[Param, ...]:
    """Every parameter; the bare `*` and `/` leave no entry, only the kinds they cause."""
    found = [_param(context, param, "positional_only") for param in node.posonly_params]
    found += [_param(context, param, "positional") for param in node.params]
    if isinstance(node.star_arg, cst.Param):
        found.append(_param(context, node.star_arg, "star"))
    found += [_param(context, param, "keyword") for param in node.kwonly_params]
    if node.star_kwarg is not None:
        found.append(_param(context, node.star_kwarg, "double_star"))
    return tuple(found)


def _param(context: Context, node: cst.Param, kind: Kind) -> Param:
    annotation = None if node.annotation is None else context.expr(node.annotation.annotation)
    default = context.maybe(node.default)
    return Param(node.name.value, kind, annotation, default, context.where(node))
