"""What a finding's test has to import and call, read off the agent graph.

The answer is a mapping of names, kept with the finding. `shape` says how the test drives the code:

- "runner": a class of the target that runs agents, and the class of its agents.
- "entry": a function or method that asks a model by itself, with arguments that can be made up,
  or a compiled graph that has the code as a step.
- "tool": a function that a model may call, called by the test or by the agent that has it.
- "module": a file that is imported.

Without `shape` nothing was found that could be called, and a person must fill it in.
"""

from __future__ import annotations

from typing import Protocol

from agentcheck.acceptance.stage_entry import entry_names, session_names
from agentcheck.acceptance.stage_graph import graph_names
from agentcheck.acceptance.stage_runner import runner_names
from agentcheck.acceptance.stage_tool import module_names, tool_names
from agentcheck.acceptance.stage_tools import ALL, with_all, written_tools
from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.handles import Fn
from agentcheck.graph.toolset import Tool
from agentcheck.model.assessment import CodeEvidence, Evidence

MODULE_TOPICS = frozenset({"missing-import-target", "unknown-agent-keyword"})
FURTHEST = 4  # calls between the line of a finding and what a test can call


class About(Protocol):
    """What a test is about: a finding, or what there will be one of."""

    @property
    def topic(self) -> str:
        """The topic of its rule."""

    @property
    def subject(self) -> str:
        """What it speaks of."""

    @property
    def primary(self) -> Evidence:
        """The evidence that it points at first."""


def stage_names(finding: About, graph: AgentGraph, root: str) -> dict[str, str]:
    """The names for a finding's test; empty where its place is no importable code.

    `root` is the name of the scanned folder, in case it is itself a package.
    """
    program, names = graph.program, names_in_part(finding, graph)
    tools = written_tools(graph) if ALL in names else {}
    return completed(names, tools, root if "__init__.py" in program.layout.paths else "")


def completed(names: dict[str, str], tools: dict[str, bool], package: str) -> dict[str, str]:
    """The names with what a part of the target does not tell: all its tools, and the name of the
    scanned folder where that is a `package` itself."""
    whole = with_all(names, tools)
    inside = package.isidentifier() and whole.get("import_root") == "."
    return inside_package(whole, package) if inside else whole


def names_in_part(finding: About, graph: AgentGraph) -> dict[str, str]:
    """The names as far as a part of the target tells them; see `completed`."""
    place = finding.primary
    if not isinstance(place, CodeEvidence) or place.file not in graph.program.files:
        return {}
    if not place.file.endswith(".py"):
        return {}
    if finding.topic in MODULE_TOPICS:
        return {**module_names(graph, place.file), "missing": finding.subject}
    tool = _tool(finding, graph, place)
    if tool is not None:
        return _tool_names(finding, graph, tool)
    return _code_names(graph, function_at(graph, place.file, place.line))


def function_at(graph: AgentGraph, path: str, line: int) -> Fn:
    """The innermost function of a file that a line belongs to; the module's body elsewhere."""
    around = [
        fn
        for fn in graph.program.functions[path][1:]
        if fn.facts.span.line <= line <= fn.facts.span.end_line
    ]
    smallest = sorted(around, key=lambda fn: fn.facts.span.end_line - fn.facts.span.line)
    return smallest[0] if smallest else graph.program.module(path)


PLACES = ("module", "agent_class", "session", "agent_module")
LISTS = ("tool_classes", "tools", "acts")


def inside_package(names: dict[str, str], package: str) -> dict[str, str]:
    """The names as they are where the scanned folder is a package of that name."""
    moved = {key: f"{package}.{names[key]}" for key in PLACES if key in names}
    for key in LISTS:
        parts = names[key].split(",") if key in names else []
        if parts:
            moved[key] = ",".join(_moved(part, package) for part in parts)
    return {**names, **moved, "package": package}


def _moved(part: str, package: str) -> str:
    name, equals, place = part.rpartition("=")
    return f"{name}{equals}{package}.{place}"


def _tool(finding: About, graph: AgentGraph, place: CodeEvidence) -> Tool | None:
    """The tool that a finding is about: defined at its line, and called by its subject."""
    for tool in graph.tools_of(place.file):
        if finding.subject in {tool.name, tool.fn.qualname if tool.fn else ""}:
            return tool
    return None


def _tool_names(finding: About, graph: AgentGraph, tool: Tool) -> dict[str, str]:
    """A tool by itself; one that acts on the world, by what offers it to a model."""
    names = tool_names(graph, tool)
    if finding.topic != "unguarded-side-effect" or "agent" in names:
        return names
    for loop in graph.loops:
        entry = _code_names(graph, loop.fn) if loop.fn.file.path == tool.place.file else {}
        own = [a for a in entry.get("acts", "").split(",") if a.startswith(f"{tool.name}=")]
        if entry.get("shape") == "entry" and own:
            marked = {ALL: "tools"} if ALL in entry else {}
            return {**entry, "acts": own[0], **marked}
    return names


def _code_names(graph: AgentGraph, fn: Fn) -> dict[str, str]:
    """The nearest runner or entry, from a function up through those that call it."""
    near = _callers(graph, fn)
    for here in near:
        names = runner_names(graph, here)
        if names:
            return {**names, **session_names(graph, here)}
    entries = [names for here in near if (names := entry_names(graph, here))]
    public = [names for names in entries if not names["entry"].startswith("_")]
    return next(iter([*public, *entries]), {}) or graph_names(graph, near)


def _callers(graph: AgentGraph, fn: Fn) -> list[Fn]:
    """A function and those that lead to it, nearest first."""
    found, layer = [fn], [fn]
    for _ in range(FURTHEST):
        above = [site.fn for here in layer for site in graph.calls.callers(here)]
        layer = [here for here in dict.fromkeys(above) if here not in found]
        found += layer
    return found
