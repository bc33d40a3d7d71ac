"""Calls of a model's API: who asks, and which tools the request carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentcheck.graph.containers import Element
from agentcheck.graph.diagram.bound import bindings, bound_tools
from agentcheck.graph.diagram.details import api_of, call_detail
from agentcheck.graph.diagram.sketch import Sketch, called, written
from agentcheck.graph.diagram.tools import draw_tool
from agentcheck.graph.handles import Fn
from agentcheck.graph.members import untold
from agentcheck.graph.models import ModelCall
from agentcheck.graph.text import argument
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model.location import Place


def draw_model_calls(sketch: Sketch) -> None:
    """Every model call under the loops, steps and tools that lead to it, else its function."""
    for call in sketch.graph.model_calls:
        if sketch.shows(call.site.place):
            _draw_call(sketch, call)


def _draw_call(sketch: Sketch, call: ModelCall) -> None:
    detail = call_detail(sketch, call)
    target = sketch.node(
        ("model", id(call.site.expr)),
        "model-call",
        detail.get("model", api_of(call)),
        call.site.place,
        framework=call.framework,
        detail=detail,
    )
    for node, place in _askers(sketch, call):
        sketch.edge(node, target, "asks", place)
        _draw_given(sketch, call, node)


def _askers(sketch: Sketch, call: ModelCall) -> list[tuple[str, Place]]:
    fn = call.site.fn
    own = sketch.host(fn)
    if own is not None:
        return [(own, call.site.place)]
    nodes, _ = sketch.above(fn)
    if nodes:
        return [(node, call.site.place) for node, _ in nodes]
    name = sketch.node(("function", fn), "function", called(fn), sketch.head(fn))
    sketch.hosts[fn] = name
    return [(name, call.site.place)]


def _draw_given(sketch: Sketch, call: ModelCall, node: str) -> None:
    """The tools that the request carries, under whoever asks."""
    keyword, fn = call.data.tools_keyword, call.site.fn
    given = argument(call.call, keyword) if keyword else None
    if given is not None:
        _draw_list(sketch, node, (given, fn), _tools(sketch, call))
    for bound, host in bindings(sketch, call):
        _draw_list(sketch, node, (bound, host), bound_tools(sketch, bound, host))


def _draw_list(
    sketch: Sketch, node: str, given: tuple[E.Expr, Fn], tools: Iterable[Tool | Element]
) -> None:
    expr, fn = given
    empty = True
    for tool in tools:
        empty = False
        if isinstance(tool, Element):
            place = tool.fn.place(tool.expr.span)
            sketch.unresolved(node, "uses", place, written(tool.fn, tool.expr))
            continue
        target = draw_tool(sketch, tool)
        if target is not None and target != node:
            sketch.edge(node, target, "uses", fn.place(expr.span))
    if empty and untold(sketch.graph.tracer, expr, fn):
        sketch.unresolved(node, "uses", fn.place(expr.span), written(fn, expr))


def _tools(sketch: Sketch, call: ModelCall) -> Iterator[Tool]:
    if sketch.graph.toolbox is not None:
        yield from sketch.graph.toolbox.given_to([call])
