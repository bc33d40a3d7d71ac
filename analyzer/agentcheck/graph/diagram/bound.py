"""Tools that a model is bound to before it is asked: `model.bind_tools(tools).invoke(messages)`."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.graph.containers import Element, elements
from agentcheck.graph.diagram.sketch import Sketch
from agentcheck.graph.handles import Fn
from agentcheck.graph.models import ModelCall
from agentcheck.graph.resolve import ClassRef
from agentcheck.graph.text import string
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E

BINDS = "bind_tools"
# Assignments and calls between the binding and the request.
STEPS = 8


def bindings(sketch: Sketch, call: ModelCall) -> list[tuple[E.Expr, Fn]]:
    """What the receiver of a model call was bound to, with the function that says so."""
    return list(_bindings(sketch, call.call.func, call.site.fn, STEPS))


def _bindings(sketch: Sketch, expr: E.Expr, fn: Fn, steps: int) -> Iterator[tuple[E.Expr, Fn]]:
    """Down the chain of calls and attributes, through the names that it begins with."""
    while isinstance(expr, (E.Call, E.Attr, E.Await)):
        if isinstance(expr, E.Call):
            if isinstance(expr.func, E.Attr) and expr.func.attr == BINDS and expr.args:
                yield expr.args[0].value, fn
                return
            expr = expr.func
        else:
            expr = expr.value
    if not isinstance(expr, E.Name) or not steps:
        return
    for origin in sketch.graph.tracer.local(expr, fn):
        if isinstance(origin.expr, E.Call):
            yield from _bindings(sketch, origin.expr, origin.fn, steps - 1)


def bound_tools(sketch: Sketch, given: E.Expr, fn: Fn) -> Iterator[Tool | Element]:
    """The tools in a list, schemas as classes among them, and the elements nothing is known of."""
    for element in elements(sketch.graph.tracer, given, fn):
        found = sketch.graph.toolbox.of(element) if sketch.graph.toolbox is not None else []
        found = found or list(_schemas(sketch, element))
        yield from found
        if not found:
            yield element


def _schemas(sketch: Sketch, element: Element) -> Iterator[Tool]:
    """A class whose fields are a tool's arguments, bare or as `tool(Class)`; a provider's tool."""
    inner = element.expr
    if isinstance(inner, E.Entries):
        named = {string(e.key): string(e.value) for e in inner.entries if e.key is not None}
        label = named.get("name") or named.get("type")
        if label:
            yield Tool(label, None, element.fn.place(inner.span))
        return
    if isinstance(inner, E.Call) and len(inner.args) == 1:
        inner = inner.args[0].value
    for symbol in sketch.graph.resolver.of(inner, element.fn):
        if isinstance(symbol, ClassRef):
            klass = symbol.klass
            yield Tool(klass.name, None, klass.file.place(klass.facts.name_span))
