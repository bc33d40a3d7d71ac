"""Source files -> the diagram of their agents."""

from __future__ import annotations

from agentcheck.config import Settings
from agentcheck.model.diagram import Diagram
from agentcheck.run.code import read_code
from agentcheck.run.memory import Memory
from agentcheck.run.request import Request, Tell, silent


def read_diagram(
    request: Request, settings: Settings, tell: Tell = silent, *, tests: bool = False
) -> Diagram:
    """Read and link what the request names, and draw it.

    Raises UsageError for a path that does not exist, and where not one file could be read.
    """
    from agentcheck.graph.diagram import draw

    memory = Memory(request, settings)
    try:
        code = read_code(request, settings, tell, memory, tests=tests)
    finally:
        memory.close()
    title = code.root.resolve().name or "target"
    if code.graph is None:
        return Diagram(title=title, nodes=(), edges=())
    tell("drawing")
    if tests:
        return draw(code.graph.with_tests, title, tests=True)
    return draw(code.graph, title, aside=code.tests)
