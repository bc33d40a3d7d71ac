"""The tools that a test has to know: those that the process which it runs could run."""

from __future__ import annotations

from collections.abc import Iterable

from agentcheck.acceptance.stage_runner import module_of
from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.effects import effects_of
from agentcheck.graph.handles import Fn
from agentcheck.graph.toolset import Tool
from agentcheck.model.kind import code_kind

# Calls that bring in modules whose names the imports of a file do not tell.
_LOADERS = ("import_module", "__import__", "exec_module", "load_module", "run_path", "run_module")


def tool_lists(graph: AgentGraph, fn: Fn, more: Iterable[Tool] = ()) -> dict[str, str]:
    """Tools as "name=module:function", all that may run where a function does, and those of them
    that change the world."""
    files = _together(graph, fn.file.path)
    found = dict[str, bool]()
    for path in sorted(files):
        found.update(_by_file(graph).get(path, {}))
    found.update(told for tool in more if (told := _told(graph, tool)) is not None)
    acts = [tool for tool, acting in found.items() if acting]
    return {"tools": ",".join(sorted(found)), "acts": ",".join(sorted(acts))}


def _together(graph: AgentGraph, path: str) -> set[str]:
    """The files that may be loaded along with one; all, where modules are loaded by name."""
    files = graph.program.modules.together(path)
    index = graph.program.call_index
    by_name = (site for loader in _LOADERS for site in index.get(loader, ()))
    return set(graph.program.files) if any(s.fn.file.path in files for s in by_name) else files


def _by_file(graph: AgentGraph) -> dict[str, dict[str, bool]]:
    """The tools of each file, and whether they change the world."""
    if graph.written_tools is None:
        graph.written_tools = {}
        for tool in graph.tools:
            told = _told(graph, tool)
            if told is not None and tool.fn is not None:
                graph.written_tools.setdefault(tool.fn.file.path, {}).update([told])
    return graph.written_tools


def _told(graph: AgentGraph, tool: Tool) -> tuple[str, bool] | None:
    fn = tool.fn
    if fn is None or code_kind(fn.file.path) == "test" or "," in tool.name or "=" in tool.name:
        return None
    name = f"{tool.name}={module_of(graph, fn.file.path)}:{fn.facts.qualname}"
    return name, bool(effects_of(graph.tracer, tool))
