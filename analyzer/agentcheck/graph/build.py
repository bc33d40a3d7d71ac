"""Facts of all files -> AgentGraph, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.called import find_called, in_order
from agentcheck.graph.calls import Calls
from agentcheck.graph.dispatched import dispatched_tools
from agentcheck.graph.layout import Layout
from agentcheck.graph.models import find_drives, find_model_calls, find_runs
from agentcheck.graph.origins import Tracer
from agentcheck.graph.program import Program
from agentcheck.graph.ready import registered
from agentcheck.graph.registries import Registries
from agentcheck.graph.resolve import Resolver
from agentcheck.graph.roster import FrameworksFor, Roster
from agentcheck.graph.textfiles import Reader, TextFiles
from agentcheck.graph.toolset import Tool, Toolbox
from agentcheck.model.facts import FileFacts

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework


def build(
    files: Sequence[FileFacts],
    frameworks: Sequence[Framework],
    unread: Sequence[str] = (),
    for_file: FrameworksFor | None = None,
    texts: Reader | None = None,
    layout: Layout | None = None,
) -> AgentGraph:
    """Link the facts of a target.

    `frameworks` are those of the versions the target pins; `unread` the paths of files that are
    there but whose facts are not. `for_file` gives the frameworks in the releases that hold for
    one file, where folders of the target pin different ones. `texts` reads files beside the code.
    With the `layout` of the whole target, `files` may be some of its programs.
    """
    program = Program(files, layout or Layout(files, unread))
    resolver = Resolver(program)
    calls = Calls(program, resolver)
    tracer = Tracer(calls)
    tracer.registered = Registries(tracer).of
    tracer.files = TextFiles(tracer, texts) if texts is not None else None
    asked, called = find_called(tracer, frameworks)
    model_calls = in_order([*find_model_calls(calls, frameworks), *asked])
    runs = in_order([*find_runs(calls, frameworks), *called])
    drives = find_drives(calls, [*model_calls, *runs])
    toolbox = Toolbox(tracer, frameworks)
    decorated = toolbox.decorated()
    roster = Roster(tracer, frameworks, toolbox, for_file)
    agents = roster.agents()
    given = [*toolbox.given_to(model_calls), *toolbox.run_by_nodes()]
    tools = [*decorated, *(t for a in agents for t in a.tools), *given, *registered(toolbox)]
    graph = AgentGraph(
        program=program,
        resolver=resolver,
        calls=calls,
        tracer=tracer,
        frameworks=frameworks,
        model_calls=model_calls,
        runs=runs,
        drives=drives,
        agents=agents,
        tools=_once(tools),
        unresolved=roster.unresolved,
        for_file=for_file,
        toolbox=toolbox,
    )
    graph.tools = _once([*graph.tools, *dispatched_tools(graph, toolbox)])
    return graph


def _once(tools: Sequence[Tool]) -> list[Tool]:
    unique = {id(t): t for t in tools}
    return sorted(unique.values(), key=lambda t: (t.place.file, t.place.cell or 0, t.place.span))
