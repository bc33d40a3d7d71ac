"""Two handoffs in one reply both run, and the last one silently wins.

A model may ask for several tools in one reply, and handoffs are tools. Where the dispatcher goes
over the calls and keeps the new agent in one variable, the second handoff overwrites the first:
both call ids are told that the transfer was made, and the conversation goes on with whichever
came last.

Looked for is anything that makes one decision a batch: leaving the loop after a handoff, a test
that one was already taken, or parallel tool calls switched off for the agent.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    Agent,
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    E,
    Hit,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.handoffs._overwrites import Overwrite, overwrites
from agentcheck_rules.handoffs._parallel import default_switch, parallel_off
from agentcheck_rules.handoffs._run_handoff_race import check_run, usual_run

__all__ = ["CARD", "check", "check_run", "usual_run"]

CARD = Card(
    code="AC501",
    topic="handoff-race",
    title="Two handoffs in one reply both run and the last silently wins",
    question="Is one decision made when a reply asks for several handoffs?",
    severity="high",
    confidence="high",
    remedy_confidence="medium",
    at_stake="A reply with two handoffs must end in one decision that the model is told of.",
    consequence="The user ends up with an agent that nobody chose, while the history says that "
    "each transfer was made.",
    owner="whoever dispatches tool calls",
    smallest_change="Take the first handoff of a reply, answer every further one with a message "
    "that says it was not taken, or switch parallel tool calls off for agents with handoffs.",
    could_break="Runs that relied on the last transfer winning.",
    acceptance="A scripted reply with two transfers ends in one documented decision in {owner}, "
    "and each call id gets a paired reply that says which was taken.",
    tags=("correctness",),
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a dispatcher that passes control, one an agent with several handoffs."""
    found = [o for o in overwrites(graph) if code_kind(o.fn.file.path) != "test"]
    for overwrite in found:
        yield _dispatcher(graph, overwrite)
    for agent in graph.agents:
        if code_kind(agent.site.fn.file.path) != "test":
            yield from _agent(graph, agent, found)


def _dispatcher(graph: AgentGraph, overwrite: Overwrite) -> Assessment:
    owner = overwrite.fn.qualname
    loop = related(overwrite.batch, "the calls of one reply are run in turn")
    if overwrite.guard is not None:
        seen = related(overwrite.guard, "a second handoff does not get through here")
        return fine(owner, "met", "one handoff a reply is taken", loop, seen)
    hit = Hit(
        message=f"`{owner}` keeps the last agent that a call of the reply returned; earlier ones "
        "are overwritten without a word.",
        owner=owner,
        failure_path=(
            "the model asks for two transfers in one reply",
            f"`{owner}` runs both and answers each call id as done",
            "the second overwrites the first",
            "the run goes on with the last agent",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner},
    )
    evidence: list[CodeEvidence] = [
        primary(overwrite.place, "a later handoff overwrites an earlier one"),
        *(related(p, "nothing but the handoff itself is tested") for p in overwrite.tests),
        loop,
        *default_switch(graph, overwrite.fn),
    ]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )


LOOKED = (
    "leaving the loop once a handoff is taken",
    "a test that one was already taken",
    "parallel tool calls switched off",
)


def _agent(graph: AgentGraph, agent: Agent, found: list[Overwrite]) -> Iterator[Assessment]:
    """An agent that offers two handoffs where the run lets the last one win."""
    targets = list(dict.fromkeys(agent.handoffs))
    if len(targets) < 2 or not _last_wins(graph, agent, found):
        return
    off = parallel_off(graph, agent)
    if off is not None:
        here = related(off, "parallel tool calls are switched off")
        yield fine(agent.name, "met", "one tool call a reply", here)
        return
    # Without a switch it is the framework that decides, and the target can do little.
    switch = agent.data is None or agent.data.parallel_keyword is not None
    names = " and ".join(f"`{a.name}`" for a in targets[:2])
    hit = Hit(
        title="Several handoffs on one agent, with parallel tool calls left on",
        message=f"`{agent.name}` can hand over to {names} in one reply, and the last one wins.",
        owner=agent.name,
        severity="medium",
        confidence=None if switch else "low",
        persona=None if switch else "pedantic",
        failure_path=(
            f"`{agent.name}` offers handoffs to {len(targets)} agents",
            "the model asks for two of them in one reply",
            "the run goes on with the last",
        ),
        challenge=Challenge("upheld", LOOKED),
        smallest_change="Switch parallel tool calls off for this agent."
        if switch
        else "Let one tool take the name of the agent to hand over to, and refuse a second call.",
        names={"owner": agent.name},
    )
    evidence = (
        primary(agent.site.place, "this agent offers several handoffs at once"),
        *(related(p, "its handoffs are given here") for p in agent.wired[:3]),
        *_handoff_lines(agent),
    )
    yield Assessment(
        subject=agent.name, verdict="not-met", why=hit.message, evidence=evidence, hit=hit
    )


def _handoff_lines(agent: Agent) -> Iterator[CodeEvidence]:
    if agent.data is None:
        return
    for keyword in (*agent.data.tools_keywords, *agent.data.handoffs_keywords):
        given = agent.given([keyword])
        if isinstance(given, E.Items) and given.items:
            yield related(agent.site.fn.place(given.span), "the handoffs are among these")


def _last_wins(graph: AgentGraph, agent: Agent, found: list[Overwrite]) -> bool:
    """Whether the agent is run by a loop that overwrites: the target's own, or the framework's."""
    if agent.framework is not None:
        policies = [
            run.handoff_policy
            for framework in graph.frameworks
            if framework.name == agent.framework
            for run in framework.run
        ]
        if agent.klass is None:
            return "last-wins" in policies
    together = graph.program.together
    return any(o.guard is None for o in found if together(o.fn, agent.site.fn))
