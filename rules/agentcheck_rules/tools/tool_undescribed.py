"""A tool is offered with neither a docstring nor a description, so the model knows only its name.

The description is what the model chooses a tool by. Without one it guesses from the name and the
arguments what the tool does, when to use it and what comes back; it then leaves the tool unused,
uses it for something else, or fills the arguments in wrongly.

Looked at are functions that a framework turns into tools, whose description comes from their
docstring unless one is given, and literal schemas. Functions that only hand over to another agent
are left out, as their names say it all, and so are classes of tools. One finding a file.

The decorators of LangChain, CrewAI and smolagents refuse such a function: they raise when the
module is imported, or when the function around it is called. That is told to every reader.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    Place,
    Tool,
    fine,
    primary,
    related,
)
from agentcheck_rules.tools._described import functions, schemas

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC309",
    topic="tool-undescribed",
    title="A tool has no description",
    question="Is the model told what each tool does?",
    severity="low",
    confidence="high",
    remedy_confidence="high",
    persona="pedantic",
    at_stake="The model can only choose the right tool when it is told what each does.",
    consequence="The tool is left unused, used for something else, or given wrong arguments.",
    owner="whoever owns the tool",
    smallest_change="Write a docstring, or pass a description: what the tool does, when to use it, "
    "what it returns.",
    could_break="Prompts that were tuned to the tool's name alone.",
    acceptance="The schema that {owner} sends for {tool} has a description.",
    tags=("correctness",),
)


LOOKED = ("a docstring", "a description in the decorator, the constructor or a schema")
# Frameworks whose decorators raise: ValueError in langchain-core 1.8.3 and crewai 1.15.30,
# DocstringParsingException in smolagents.
REFUSE = frozenset({"langchain", "crewai", "smolagents"})


class _Bare(Struct, frozen=True):
    name: str
    owner: str
    place: Place


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a tool that is described, and one a file with tools that are not."""
    by_file: dict[str, list[_Bare]] = {}
    for tool, fn, said in functions(graph):
        if said:
            yield fine(tool.name, "met", "it is described", related(tool.place, "the tool"))
        elif tool.framework in REFUSE and tool.data is not None and tool.built is None:
            yield _refused(tool, fn)
        else:
            bare = _Bare(tool.name, fn.qualname, tool.place)
            by_file.setdefault(tool.place.file, []).append(bare)
    for name, place, said in schemas(graph):
        if said:
            yield fine(name, "met", "its schema describes it", related(place, "the schema"))
        else:
            by_file.setdefault(place.file, []).append(_Bare(name, place.file, place))
    yield from (_undescribed(group) for group in by_file.values())


def _refused(tool: Tool, fn: Fn) -> Assessment:
    hit = Hit(
        title="A tool's decorator raises because the tool has no docstring",
        message=f"`{tool.name}` has neither docstring nor description, which its decorator "
        "refuses.",
        owner=fn.qualname,
        severity="high",
        persona="regular",
        failure_path=(
            f"the definition of `{tool.name}` is reached",
            f"the decorator of {tool.framework} looks for a docstring and finds none",
            "it raises, and the tool never comes about",
        ),
        consequence="The module does not load, or the function that makes the tool always fails.",
        challenge=Challenge("upheld", LOOKED),
        names={"owner": fn.qualname, "tool": tool.name},
    )
    evidence = (primary(tool.place, "the decorator raises here"),)
    return Assessment(
        subject=tool.name, verdict="not-met", why=hit.message, evidence=evidence, hit=hit
    )


def _undescribed(group: list[_Bare]) -> Assessment:
    first = group[0]
    one = f"`{first.name}` is offered without a word on what it does."
    many = f"{len(group)} tools of this file are offered without a word on what they do."
    hit = Hit(
        message=one if len(group) == 1 else many,
        owner=first.owner,
        failure_path=(
            f"the model is shown `{first.name}` and its arguments, and nothing else",
            "it guesses what the tool is for",
            "the tool is left out, or used for what it does not do",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": first.owner, "tool": first.name},
    )
    evidence = (
        primary(first.place, f"`{first.name}` has no description"),
        *(related(b.place, f"`{b.name}` has none either") for b in group[1:6]),
    )
    return Assessment(
        subject=first.name, verdict="not-met", why=hit.message, evidence=evidence, hit=hit
    )
