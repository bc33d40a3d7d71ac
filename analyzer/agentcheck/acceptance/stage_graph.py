"""Functions that are steps of a compiled state graph, which a test runs as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.acceptance.stage_runner import import_root, module_of
from agentcheck.acceptance.stage_tool import held_by
from agentcheck.acceptance.stage_tools import tool_lists
from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.handles import Fn
from agentcheck.model.kind import code_kind

DRIVEN = frozenset({"langgraph"})


def graph_names(graph: AgentGraph, near: Sequence[Fn]) -> dict[str, str]:
    """The names of the compiled graph that has one of the functions as a step.

    Empty where there is none that a module holds under a name of its own. Where other steps ask a
    model as well, "several" alone is there: what a run of the whole shows could be their doing.
    """
    for built in graph.state_graphs:
        steps = {node.fn for node in built.nodes.values() if node.fn is not None}
        if built.framework not in DRIVEN or steps.isdisjoint(near):
            continue
        if sum(node.asks_model for node in built.nodes.values()) > 1:
            return {"several": built.name}
        for compiled in built.compiled:
            path, held = compiled.site.fn.file.path, held_by(compiled.site)
            if held and code_kind(path) != "test":
                return {
                    "shape": "entry",
                    "module": module_of(graph, path),
                    "import_root": import_root(graph, path),
                    "entry": held,
                    "driven": built.framework,
                    **tool_lists(graph, compiled.site.fn),
                }
    return {}
