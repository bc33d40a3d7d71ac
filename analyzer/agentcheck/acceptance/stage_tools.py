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
ALL = "all_tools"
"""Marks names that are to list every tool of the target: with "tools" as tools alone, else also as
those that act."""
_LOADERS = ("import_module", "__import__", "exec_module", "load_module", "run_path", "run_module")


def tool_lists(graph: AgentGraph, fn: Fn, more: Iterable[Tool] = ()) -> dict[str, str]:
    """Tools as "name=module:function", all that may run where a function does, and those of them
    that change the world."""
    files = graph.program.modules.together(fn.file.path)
    found = dict[str, bool]()
    for path in sorted(files):
        add_tools(found, _by_file(graph).get(path, {}))
    found.update(told for tool in more if (told := _told(graph, tool)) is not None)
    lists = _lists(found)
    return {**lists, ALL: "yes"} if _loads_by_name(graph, files) else lists


def _lists(found: dict[str, bool]) -> dict[str, str]:
    acts = [tool for tool, acting in found.items() if acting]
    return {"tools": ",".join(sorted(found)), "acts": ",".join(sorted(acts))}


def _loads_by_name(graph: AgentGraph, files: set[str]) -> bool:
    """Whether modules are loaded by name in some files, so that any may be loaded along."""
    index = graph.program.call_index
    by_name = (site for loader in _LOADERS for site in index.get(loader, ()))
    return any(site.fn.file.path in files for site in by_name)


def written_tools(graph: AgentGraph) -> dict[str, bool]:
    """All tools as tests name them, and whether they change the world."""
    found = dict[str, bool]()
    for tools in _by_file(graph).values():
        add_tools(found, tools)
    return found


def add_tools(found: dict[str, bool], more: dict[str, bool]) -> None:
    """Add tools by name; of two that tests cannot tell apart, one that acts is enough."""
    for name, acts in more.items():
        found[name] = acts or found.get(name, False)


def with_all(names: dict[str, str], tools: dict[str, bool]) -> dict[str, str]:
    """The names for a test with all tools of the target, where modules are loaded by name.

    `tools` are what `written_tools` gives of each part of the target.
    """
    if ALL not in names:
        return names
    tools_of, acts_of = (_listed(names.get(key, "")) for key in ("tools", "acts"))
    found = {**dict.fromkeys(tools_of, False), **dict.fromkeys(acts_of, True)}
    add_tools(found, tools)
    lists = _lists(found)
    if names[ALL] == "tools":
        del lists["acts"]
    told = {**names, **{key: value for key, value in lists.items() if value}}
    return {key: value for key, value in told.items() if key != ALL}


def _listed(names: str) -> list[str]:
    return names.split(",") if names else []


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
