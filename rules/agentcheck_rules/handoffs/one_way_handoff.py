"""A conversation can be handed to an agent that has no way to hand it on or back.

Where the next turn goes to the agent that spoke last, the user is stuck with it: a question that
another agent should take is answered by the wrong one until the session ends.

Asked about is every agent that others hand over to. It is fine when it hands over itself, or when
each run starts with the same agent again. Reported are dead ends in conversations that go on with
the last agent: in a framework's own interactive loop, or where the code keeps the agent that a
run ended with. An agent that is meant to be the last stop looks the same, so the finding is for
the careful reader. One finding a file.
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
    Place,
    RunCall,
    S,
    argument,
    code_kind,
    fine,
    primary,
    read_key,
    related,
    slot,
)
from agentcheck_rules.handoffs._told import offered

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC505",
    topic="one-way-handoff",
    title="An agent takes over and has no way back",
    question="Can every agent that takes over hand the conversation on or back?",
    severity="low",
    confidence="medium",
    at_stake="A user must be able to get from any agent to the one that can help.",
    consequence="After the handoff every question goes to this agent, also those that it cannot "
    "answer, until the session is started again.",
    owner="whoever wires the agents",
    smallest_change="Give the agent a handoff back to the one that sorts requests, or start each "
    "turn with that one.",
    could_break="Flows that relied on the last agent keeping the user.",
    acceptance="A request for another topic leads from {owner} back to the agent that sorts "
    "requests.",
    persona="pedantic",
    tags=("liveness",),
)
LOOKED = (
    "a handoff or transfer function of the agent, also one given later",
    "runs that start with the same agent each time",
    "tools whose names the code does not show",
)
_LAST = ("last_agent", "agent", "active_agent", "current_agent")


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a file whose agents are handed over to."""
    kept = _goes_on(graph)
    givers = _givers(graph)
    dead: dict[str, list[Agent]] = {}
    for agent, giver in givers.values():
        path = agent.site.fn.file.path
        if code_kind(path) == "test":
            continue
        place = kept.get(id(agent))
        if agent.handoffs:
            here = related(agent.site.place, "it hands over itself")
            yield fine(agent.name, "met", "the agent can hand over", here)
        elif offered(graph, agent) is None:
            here = related(agent.site.place, "not all it is given can be read")
            yield fine(agent.name, "cannot-tell", "its tools cannot all be read", here)
        elif place is None:
            here = related(giver.site.place, "this agent hands over to it")
            why = "no conversation is seen that goes on with the last agent"
            yield fine(agent.name, "met-differently", why, here)
        else:
            dead.setdefault(path, []).append(agent)
    for agents in dead.values():
        yield _hit(agents, givers, kept[id(agents[0])])


def _givers(graph: AgentGraph) -> dict[int, tuple[Agent, Agent]]:
    """The agents that others hand over to, each with one that does."""
    found: dict[int, tuple[Agent, Agent]] = {}
    for giver in graph.agents:
        if giver.data is not None and giver.data.is_group:
            continue
        for agent in giver.handoffs:
            if agent is not giver:
                found.setdefault(id(agent), (agent, giver))
    return found


def _goes_on(graph: AgentGraph) -> dict[int, Place]:
    """The agents that a lasting conversation may reach, each with the place that keeps it."""
    found: dict[int, Place] = {}
    by_call = {id(a.call): a for a in graph.agents}
    for run in graph.runs:
        if not _lasts(graph, run):
            continue
        for start in _starts(graph, run, by_call):
            queue = [start]
            while queue:
                here = queue.pop()
                if id(here) not in found:
                    found[id(here)] = run.site.place
                    queue.extend(here.handoffs)
    return found


def _lasts(graph: AgentGraph, run: RunCall) -> bool:
    """Whether the next turn starts with the agent that this run ended with."""
    if run.data.interactive:
        return True
    given = _agent_given(run)
    name = slot(given) if given is not None else None
    if name is None:
        return False
    for at in graph.program.statements(run.site.fn):
        if isinstance(at.stmt, S.Assign) and at.stmt.value is not None:
            target = any(slot(t) == name for t in at.stmt.targets)
            if target and read_key(at.stmt.value) in _LAST:
                return True
    return False


def _agent_given(run: RunCall) -> E.Expr | None:
    where = run.data.agent
    return argument(run.call, where.keyword, where.position) if where else None


def _starts(graph: AgentGraph, run: RunCall, by_call: dict[int, Agent]) -> Iterator[Agent]:
    given = _agent_given(run)
    if given is None:
        return
    first = [given]
    if isinstance(given, E.Name):
        bound = graph.program.scope(run.site.fn).get(given.id, ())
        values = [b.expr for b in bound if b.how == "value" and b.expr is not None]
        first = [v for v in values if read_key(v) not in _LAST] or first
    for expr in first:
        for origin in graph.tracer.of(expr, run.site.fn):
            if not origin.steps and id(origin.expr) in by_call:
                yield by_call[id(origin.expr)]


def _hit(agents: list[Agent], givers: dict[int, tuple[Agent, Agent]], kept: Place) -> Assessment:
    first = min(agents, key=lambda a: a.site.place)
    giver = givers[id(first)][1]
    more = f" and {len(agents) - 1} more" if len(agents) > 1 else ""
    hit = Hit(
        message=f"`{giver.name}` hands over to `{first.name}`{more}, which hands over to nobody.",
        owner=first.name,
        failure_path=(
            f"`{giver.name}` hands the conversation to `{first.name}`",
            "the next turn goes to the agent that spoke last",
            f"the user asks for something else, and `{first.name}` cannot pass it on",
        ),
        challenge=Challenge("upheld", LOOKED),
    )
    evidence: list[CodeEvidence] = [primary(first.site.place, "this agent has no handoff")]
    evidence += [related(a.site.place, "nor has this one") for a in agents if a is not first][:4]
    evidence.append(related(giver.site.place, f"`{giver.name}` hands over to it"))
    evidence.append(related(kept, "the conversation goes on with the last agent"))
    return Assessment(
        subject=first.name, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
