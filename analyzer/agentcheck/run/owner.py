"""Where the owner of a finding is defined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from agentcheck.graph.agents import AgentGraph
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.finding import Finding


def with_owner_files(findings: Iterable[Finding], graph: AgentGraph | None) -> list[Finding]:
    """The findings, each with the file of its owner where that is one definition or agent.

    Of several of one name it is the one that the evidence shows; with none there, nobody can tell.
    """
    found = list(findings)
    if graph is None or not found:
        return found
    files = _files(graph, {finding.owner for finding in found})
    return [replace(one, owner_file=_of(one, files.get(one.owner, set()))) for one in found]


def _of(finding: Finding, files: set[str]) -> str | None:
    if len(files) == 1:
        return next(iter(files))
    shown = [item.file for item in finding.evidence if isinstance(item, CodeEvidence)]
    return next((file for file in shown if file in files), None)


def _files(graph: AgentGraph, names: set[str]) -> dict[str, set[str]]:
    """The files that define functions, classes, agents and tools of some names."""
    found: dict[str, set[str]] = defaultdict(set)
    program = graph.program
    places = [(fn.qualname, fn.file.path) for fn in program.every_function() if fn.index]
    places += [(klass.facts.name, klass.file.path) for klass in program.every_class()]
    places += [(agent.name, agent.site.place.file) for agent in graph.agents]
    places += [(tool.name, tool.place.file) for tool in graph.tools]
    for name, file in places:
        if name in names:
            found[name].add(file)
    return found
