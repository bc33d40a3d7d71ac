"""What the model is told of a tool's arguments says less than the code knows.

Four shapes: a home-made builder of schemas that calls every annotation it does not know "string";
tools whose parameters have no annotation although their schema is made from the signature; a table
of tools by their bare names, in which the last of two namesakes silently takes the place of the
first; and one agent that is given two different tools under one name.

The model then sends text for numbers and lists, and the tool fails on it or acts on a wrong value.
Tools with a literal schema of their own, parameters that the framework fills in, and tables whose
code refuses a name that is there already are met. Only the last shape is shown to every reader.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from agentcheck.rule import (
    Agent,
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    E,
    Fn,
    Hit,
    Site,
    Tool,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.tools._bodies import bodied
from agentcheck_rules.tools._schemas import (
    builders,
    collapsing_tables,
    has_schema,
    literal_names,
    untyped,
)

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC306",
    topic="lossy-tool-schema",
    title="A tool's schema loses what the code knows of its arguments",
    question="Does the schema of each tool tell the model the type of every argument, under a name "
    "of its own?",
    severity="low",
    confidence="high",
    persona="pedantic",
    at_stake="The model can only send right arguments when it is told what they are.",
    consequence="Numbers, lists and objects arrive as text, and the tool fails or acts on a wrong "
    "value.",
    owner="whoever owns the schemas of the tools",
    smallest_change="Refuse a parameter whose annotation is missing or unknown, and a second tool "
    "of the same name, when the agent is built.",
    could_break="Tools without annotations no longer load.",
    acceptance="A tool with an unannotated parameter, an unknown annotation or a name that is "
    "taken is refused by {owner}, or described with its true type.",
    tags=("correctness",),
)
LOOKED = (
    "an error for what is not known",
    "a literal schema beside the function",
    "a test for a name that is taken",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a builder of schemas, a table by name, an agent, and a file with tools."""
    for site, fallback in builders(graph):
        yield _builder(site, fallback)
    for site, guard in collapsing_tables(graph):
        owner = site.fn.qualname
        if guard is not None:
            seen = related(guard.place, "a second tool of one name is refused here")
            yield fine(owner, "met", "names are tested first", seen)
        else:
            yield _table(site)
    yield from _namesakes(graph)
    yield from _bare(graph)


def _hit(
    subject: str,
    title: str,
    message: str,
    path: tuple[str, ...],
    *evidence: CodeEvidence,
    lost: str = "types",
) -> Assessment:
    hit = Hit(
        title=title,
        message=message,
        owner=subject,
        failure_path=path,
        challenge=Challenge("upheld", LOOKED),
        names={"owner": subject, "tool": subject, "lost": lost},
    )
    return Assessment(subject=subject, verdict="not-met", why=message, evidence=evidence, hit=hit)


def _builder(site: Site, fallback: str) -> Assessment:
    owner = site.fn.qualname
    return _hit(
        owner,
        f'Annotations that the schema builder does not know become "{fallback}"',
        f'`{owner}` calls every parameter "{fallback}" whose annotation is missing or not in its '
        "table.",
        (
            "a tool takes `list[int]`, an optional, an enum, or has no annotation",
            f'its schema says "{fallback}"',
            "the model sends a text, and the tool fails on it or acts on a wrong value",
        ),
        primary(site.place, "what is not known falls through to this"),
    )


def _table(site: Site) -> Assessment:
    owner = site.fn.qualname
    return _hit(
        owner,
        "Two tools of one name collapse into one",
        f"`{owner}` keeps tools by their bare names; of two namesakes only the last can be run.",
        (
            "an agent is given two tools whose functions have one name",
            "the model is offered both, and the table holds the last",
            "a call meant for the first runs the other",
        ),
        primary(site.place, "a name that is taken is overwritten here"),
        lost="names",
    )


def _namesakes(graph: AgentGraph) -> Iterator[Assessment]:
    """Agents that are given two different tools under one name."""
    for agent in graph.agents:
        if code_kind(agent.site.place.file) == "test":
            continue
        first: dict[str, Tool] = {}
        for tool in agent.tools:
            other = first.setdefault(tool.name, tool)
            if _are_two(graph, agent, other, tool):
                yield _namesake(agent.name, agent.site, other, tool)


def _are_two(graph: AgentGraph, agent: Agent, one: Tool, other: Tool) -> bool:
    """Whether an agent has both tools at once, each from an element of its own.

    One element may stand for either of two. What a converter defines inside is renamed after the
    tool that it wraps.
    """
    if one.fn is None or other.fn is None or one.fn is other.fn:
        return False
    if any((graph.program.parent(fn) or fn).index for fn in (one.fn, other.fn)):
        return False
    places = [{x.place for x in agent.links if x.target is tool} for tool in (one, other)]
    return not places[0] & places[1]


def _namesake(agent: str, site: Site, first: Tool, second: Tool) -> Assessment:
    said = _hit(
        agent,
        "One agent has two tools of one name",
        f"`{agent}` is given two tools named `{first.name}`.",
        (
            f"the model calls `{first.name}`",
            "which of the two runs is an accident of order, or the provider refuses the request",
        ),
        primary(site.place, f"this agent is given two tools named `{first.name}`"),
        related(first.place, "the one"),
        related(second.place, "the other"),
        lost="names",
    )
    hit = said.hit
    return replace(said, hit=replace(hit, severity="medium", persona="regular") if hit else None)


def _bare(graph: AgentGraph) -> Iterator[Assessment]:
    """One finding a file for tools whose signature is all there is and lacks annotations."""
    literal, by_file = literal_names(graph), dict[str, list[tuple[Tool, Fn, list[E.Param]]]]()
    for tool, fn in bodied(graph):
        here = related(tool.place, "a model may call this")
        if (graph.program.of(fn), tool.name) in literal or has_schema(tool):
            yield fine(tool.name, "met-differently", "it has a schema of its own", here)
            continue
        bare = untyped(graph, fn)
        if bare:
            by_file.setdefault(tool.place.file, []).append((tool, fn, bare))
        else:
            yield fine(tool.name, "met", "every argument has its type", here)
    for group in by_file.values():
        yield _untyped(group)


def _untyped(group: list[tuple[Tool, Fn, list[E.Param]]]) -> Assessment:
    tool, fn, bare = group[0]
    count = sum(len(params) for _, _, params in group)
    evidence = [primary(fn.place(bare[0].span), f"`{tool.name}` takes this without a type")]
    evidence += [
        related(f.place(params[0].span), f"`{t.name}` takes this without a type")
        for t, f, params in group[1:6]
    ]
    return _hit(
        tool.name,
        "Tools take arguments without a type",
        f"{count} arguments of {len(group)} tools of this file have no annotation, and the schema "
        "is made from the signature.",
        (
            "the schema says nothing of the argument's type, or calls it a text",
            "the model sends what it thinks fit",
            "the tool fails on it or acts on a wrong value",
        ),
        *evidence,
    )
