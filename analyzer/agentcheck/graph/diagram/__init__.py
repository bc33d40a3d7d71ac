"""AgentGraph -> Diagram: what there is to draw of a target."""

from __future__ import annotations

from collections.abc import Collection

from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.diagram.agents import draw_agents
from agentcheck.graph.diagram.calls import draw_model_calls
from agentcheck.graph.diagram.loops import draw_dispatchers, draw_loops
from agentcheck.graph.diagram.runs import draw_runs
from agentcheck.graph.diagram.sketch import Sketch
from agentcheck.graph.diagram.states import draw_state_graphs, draw_steps_given
from agentcheck.graph.diagram.tools import draw_tools
from agentcheck.model.diagram import Diagram

__all__ = ["draw"]


def draw(
    graph: AgentGraph, title: str, *, tests: bool = False, aside: Collection[str] = ()
) -> Diagram:
    """The diagram of a target: agents, tools, handoffs, groups, loops, runs and model calls.

    What stands in tests is left out unless `tests` is set; `aside` are the paths of tests that are
    not even linked. The files are counted.
    """
    sketch = Sketch(graph, tests=tests, aside=aside)
    draw_state_graphs(sketch)
    draw_agents(sketch)
    draw_steps_given(sketch)
    draw_tools(sketch)
    draw_loops(sketch)
    draw_runs(sketch)
    draw_model_calls(sketch)
    draw_dispatchers(sketch)
    return sketch.diagram(title)
