"""The tools that the target's own dispatchers can look up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.containers import Element, elements, values
from agentcheck.graph.dispatch import Dispatch, find_dispatches
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model.kind import code_kind

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph
    from agentcheck.graph.toolset import Toolbox


def dispatched_tools(graph: AgentGraph, toolbox: Toolbox) -> Iterator[Tool]:
    """The tools in the mappings that dispatchers outside tests look a model's choice up in."""
    for dispatch in find_dispatches(graph):
        if code_kind(dispatch.fn.file.path) != "test":
            yield from looked_up(graph, toolbox, dispatch)


def looked_up(graph: AgentGraph, toolbox: Toolbox, dispatch: Dispatch) -> Iterator[Tool]:
    """The tools in the mapping of one dispatcher, or in the list that it searches."""
    for element in _held(graph, dispatch):
        yield from toolbox.of(element)


def _held(graph: AgentGraph, dispatch: Dispatch) -> list[Element]:
    lookup = dispatch.lookup.expr if dispatch.lookup is not None else None
    match lookup:
        case E.Index(value=base) | E.Call(func=E.Attr(attr="get", value=base)):
            return values(graph.tracer, base, dispatch.fn)
        case E.Call(func=E.Name(id="next"), args=(E.Arg(value=E.Comp(loops=(loop,))), *_)):
            return elements(graph.tracer, loop.iter, dispatch.fn)
        case _:
            return []
