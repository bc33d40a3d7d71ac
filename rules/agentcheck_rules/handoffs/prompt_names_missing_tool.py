"""A prompt tells the model to call a function that the agent does not offer.

The model does as it is told: it calls a function that is not in its list, which a framework
answers with an error or an exception, or it says that it has done what it could not do.

Prompts are read across constants, concatenations, f-strings, functions that build them, imports
and star imports. A function counts as named where the text says to call or invoke it, or to use
it as a tool, and where it is written as functions are, with an underscore. An agent's functions
are those in its lists of tools and handoffs, also the ones given to it later, under decorators of
its own, and those a framework makes of handoffs. Where a list cannot be read to its end (servers,
toolsets, spreads, hosted tools), nothing is said. A text that several agents share is one finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from agentcheck.rule import (
    Agent,
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Hit,
    code_kind,
    fine,
    primary,
    related,
    system_prompts,
)
from agentcheck_rules.handoffs._told import Told, known_function, offered, read_elsewhere, told

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC504",
    topic="prompt-names-missing-tool",
    title="A prompt names a function that the agent does not offer",
    question="Is every function that a prompt tells the model to call offered to that model?",
    severity="medium",
    confidence="high",
    at_stake="What a prompt tells the model to do must be possible.",
    consequence="The model calls a function that does not exist, which ends in an error, or it "
    "tells the user that it has done what it could not do.",
    owner="whoever writes the prompt",
    smallest_change="Offer the function to the agent, or name in the prompt the one that it has.",
    could_break="Nothing: no run can have called the function.",
    acceptance="Each function that the prompt of {owner} names is in its list; {tool} is offered "
    "or no longer named.",
    remedy_confidence="high",
    tags=("robustness",),
)
LOOKED = (
    "the function among the tools and handoffs of each agent with this text",
    "tools that are given later, by decorator or under another name",
    "sources of tools whose names the code does not show",
    "code that answers to the name itself",
)


class _Named(Struct):
    told: Told
    again: list[Told] = field(default_factory=list)
    near: str = ""
    without: list[Agent] = field(default_factory=list)
    with_it: list[Agent] = field(default_factory=list)
    unsure: list[Agent] = field(default_factory=list)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment for each function that a literal of a prompt names."""
    for named in _named(graph).values():
        yield _missing(graph, named) if _is_missing(graph, named) else _harmless(named)


def _is_missing(graph: AgentGraph, named: _Named) -> bool:
    if not named.without or named.unsure:
        return False
    return not read_elsewhere(graph, named.told.name, named.without[0].site.fn)


def _named(graph: AgentGraph) -> dict[tuple[str, str], _Named]:
    found: dict[tuple[str, str], _Named] = {}
    for prompt in system_prompts(graph):
        agent = prompt.agent
        if agent is None or code_kind(agent.site.fn.file.path) == "test":
            continue
        names = offered(graph, agent)
        for piece in prompt.pieces:
            for each in told(piece):
                named = found.setdefault((each.name, each.place.file), _Named(each))
                named.again.append(each)
                _sort(named, agent, names)
    return found


def _sort(named: _Named, agent: Agent, names: set[str] | None) -> None:
    if names is None:
        named.unsure.append(agent)
    elif named.told.name in names:
        named.with_it.append(agent)
    elif agent not in named.without:
        named.without.append(agent)
        alike = (n for n in sorted(names) if named.told.name in n or n in named.told.name)
        named.near = named.near or next(alike, "")


def _harmless(named: _Named) -> Assessment:
    here = related(named.told.place, f"the model is told to call `{named.told.name}`")
    if named.with_it:
        agent = named.with_it[0]
        there = related(agent.site.place, f"`{agent.name}` offers it")
        return fine(agent.name, "met", "the function is offered", here, there)
    agent = (*named.unsure, *named.without)[0]
    return fine(agent.name, "cannot-tell", "not all tools of the agent can be read", here)


def _missing(graph: AgentGraph, named: _Named) -> Assessment:
    name, owner = named.told.name, named.without[0].name
    elsewhere = known_function(graph, name, named.without[0].site.fn)
    others = f" and {len(named.without) - 1} more" if len(named.without) > 1 else ""
    sure = named.told.plain and not elsewhere and not named.near
    hit = Hit(
        title="A prompt calls a function by another name than it has" if named.near else None,
        message=f"The prompt of `{owner}`{others} says to call `{name}`, "
        + _instead(named, elsewhere=elsewhere),
        owner=owner,
        severity="low" if named.near else None,
        confidence=None if sure else "medium",
        persona="pedantic" if named.near or named.with_it or not _firm(named.told) else None,
        failure_path=(
            f"the case comes up for which the prompt of `{owner}` names `{name}`",
            f"the model calls `{name}`, which is not in its list",
            "the call fails, or the model only says that it was done",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"tool": name},
    )
    evidence: list[CodeEvidence] = [primary(named.told.place, "the model is told to call this")]
    evidence += [
        related(a.site.place, f"`{a.name}` has this text and no such function")
        for a in named.without[:4]
    ]
    lines = {named.told.place.span.line: named.told, **{t.place.span.line: t for t in named.again}}
    evidence += [
        related(t.place, "and here")
        for t in list(lines.values())[:5]
        if t.place.span.line != named.told.place.span.line
    ]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )


def _firm(one: Told) -> bool:
    """Whether the words leave no doubt that a function is meant."""
    return one.plain or one.name.startswith("transfer_")


def _instead(named: _Named, *, elsewhere: bool) -> str:
    if named.near:
        return f"and the agent's function is called `{named.near}`."
    return "which this agent is not given." if elsewhere else "which no agent offers."
