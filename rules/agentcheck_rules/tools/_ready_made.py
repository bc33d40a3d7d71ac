"""Ready-made tools that run what the model gives them."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Challenge,
    CodeEvidence,
    Hit,
    code_kind,
    primary,
)

LOOKED = (
    "a person or an approval asked first",
    "a list of what is allowed, or a parser that refuses the rest",
    "a container or another sandbox around the process",
)
_READY = ("PythonREPLTool", "PythonAstREPLTool", "ShellTool", "BashProcess")


def hosted(graph: AgentGraph) -> Iterator[Assessment]:
    """Ready-made tools of LangChain that run what they are given in this process."""
    for tool in graph.tools:
        built = tool.built
        if built is None or tool.fn is not None or code_kind(tool.place.file) == "test":
            continue
        names = graph.resolver.dotted(built.call.func, built.fn)
        if any(n.startswith("langchain") and n.endswith(_READY) for n in names):
            yield _ready(tool.name, primary(built.place, "this tool runs what the model gives it"))


def _ready(name: str, evidence: CodeEvidence) -> Assessment:
    hit = Hit(
        title="A ready-made tool runs what the model writes",
        message=f"`{name}` runs the text that the model gives it, in this process or a shell.",
        owner=name,
        failure_path=(
            "a text that the model reads tells it to run something",
            f"the model calls `{name}` with it",
            "it runs with the rights of the process",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": name, "tool": name},
    )
    return Assessment(
        subject=name, verdict="not-met", why=hit.message, evidence=(evidence,), hit=hit
    )
