"""An agent can hand over to itself, or has the same handoff twice.

A model that is offered a transfer to the agent it already is takes it now and then: a turn is spent
and nothing has changed. The same target twice, or two targets whose names make the same tool name,
gives the model two tools it cannot tell apart; some providers refuse such a request outright.

Looked at are the items of an agent's handoffs, given to its constructor or assigned and appended
later, and functions among its tools that return one agent. Only names that are bound once count.
In the OpenAI Agents SDK the tool's name is made from the agent's, so two agents of one name clash
there too; a `tool_name_override` of its own settles it. A list that several agents share, with
each of them in it, is told to careful readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    Agent,
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.handoffs._given import Given, given

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC507",
    topic="handoff-to-self-or-duplicate",
    title="An agent hands over to itself, or has the same handoff twice",
    question="Is every handoff of an agent to another agent, and there only once?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="Each handoff must be a way that leads somewhere, under a name of its own.",
    consequence="Turns are spent on transfers that change nothing, or the provider refuses the "
    "request because two tools have one name.",
    owner="whoever wires the agents",
    smallest_change="Leave one of the two out, or the agent itself; give agents names of their "
    "own.",
    could_break="Nothing.",
    acceptance="Each tool name that {owner} is offered is there once, and none leads back to "
    "{owner}.",
    tags=("correctness",),
)
_LOOKED = (
    "a tool name of its own for each handoff",
    "another agent bound to the same name before",
    "a list that is written for several agents",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment an agent that hands over."""
    by_call = {id(a.call): a for a in graph.agents}
    for agent in graph.agents:
        if code_kind(agent.site.fn.file.path) == "test" or not agent.handoffs:
            continue
        items = given(graph, agent, by_call)
        hits = [*_selves(agent, items), *_twice(agent, items)]
        yield from hits
        if items and not hits:
            here = related(items[0].place, "it hands over to another agent")
            yield fine(agent.name, "met", "each target is another one, and there once", here)


def _selves(agent: Agent, items: list[Given]) -> Iterator[Assessment]:
    found = next((item for item in items if item.target is agent), None)
    if found is None:
        return
    shared = not found.own
    hit = Hit(
        title="An agent can hand over to itself",
        message=f"`{agent.name}` is offered a handoff to `{agent.name}`.",
        owner=agent.name,
        severity="low",
        persona="pedantic" if shared else None,
        failure_path=(
            f"`{agent.name}` does not know what to do",
            "its model takes the transfer that leads back to it",
            "the same agent answers again, one turn later",
        ),
        challenge=Challenge("weakened" if shared else "upheld", _LOOKED),
        smallest_change="Leave the agent out of its own handoffs.",
        names={"owner": agent.name},
    )
    evidence = (
        primary(found.place, "this leads back to the agent itself"),
        related(agent.site.place, "the agent that it is given to"),
    )
    yield Assessment(
        subject=agent.name, verdict="not-met", why=hit.message, evidence=evidence, hit=hit
    )


def _twice(agent: Agent, items: list[Given]) -> Iterator[Assessment]:
    seen: dict[str, Given] = {}
    for item in items:
        name = _tool_name(agent, item)
        first = seen.setdefault(name, item)
        if first is not item:
            yield _clash(agent, first, item)
            return


def _tool_name(agent: Agent, item: Given) -> str:
    """The name of the tool that an item becomes; elsewhere the agent alone tells items apart."""
    if item.label is not None:
        return item.label
    if (agent.framework or "").startswith("openai-agents"):
        return "transfer_to_" + re.sub(r"[^a-z0-9_]", "_", item.target.name.lower())
    return f"agent {id(item.target)}"


def _clash(agent: Agent, first: Given, second: Given) -> Assessment:
    same = first.target is second.target
    message = (
        f"`{agent.name}` has the handoff to `{first.target.name}` twice."
        if same
        else f"`{agent.name}` hands over to two agents whose tool has one name, "
        f"`{first.target.name}`."
    )
    hit = Hit(
        title="An agent has the same handoff twice" if same else "Two handoffs have one tool name",
        message=message,
        owner=agent.name,
        failure_path=(
            "both become tools of one name",
            "the provider refuses them, or the model cannot tell them apart",
            "the conversation ends, or goes to the wrong one of the two",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": agent.name},
    )
    evidence = (
        primary(second.place, "this is the second of its name"),
        related(first.place, "this is the first"),
        related(agent.site.place, "the agent that both are given to"),
    )
    return Assessment(
        subject=agent.name, verdict="not-met", why=message, evidence=evidence, hit=hit
    )
