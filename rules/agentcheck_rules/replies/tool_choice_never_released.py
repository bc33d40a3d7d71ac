"""Every turn of an agent loop forces a tool call, and only a reply without one ends the loop.

`tool_choice="required"` (or "any", or one tool by name) keeps the model from answering with text.
On the first turn that may be meant; on every turn it means that the loop never comes to its end:
the model calls tools that it no longer needs, until a turn limit or the budget stops it.

Asked about are loops whose model call always forces a tool, and whose every way out is taken only
by a reply without a tool call (`if not message.tool_calls: return`, `finish_reason == "stop"`);
LangGraph graphs that leave by `tools_condition` alone while every `bind_tools` of the file forces
a call; and agents of the OpenAI Agents SDK with `reset_tool_choice=False`, which without it
release the choice after the first call by themselves. Any other way out, such as the name of a
final tool, a count or a tool's result, is met, and so is a choice that changes between turns.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    Agent,
    AgentGraph,
    AgentLoop,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    E,
    Hit,
    ModelCall,
    Site,
    argument,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.replies._forced import bound_for_good, exits_of, forced_turns, forces

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC211",
    topic="tool-choice-never-released",
    title="A forced tool choice keeps the loop from ending",
    question="Is the model free to answer without a tool call on some turn of every loop?",
    severity="high",
    confidence="high",
    remedy_confidence="high",
    at_stake="A loop that waits for an answer must let the model give one.",
    consequence="Every run goes on until a limit, the budget or a person stops it, repeats tool "
    "calls with their effects, and returns no answer.",
    owner="whoever owns the agent loop",
    smallest_change='Force the tool on the first turn only and set the choice to "auto" after it, '
    "or end the loop at a tool that gives the final answer.",
    could_break="Runs that relied on the turn limit to end them.",
    acceptance="A scripted model that answers with text once it is free to ends {owner} with that "
    "answer.",
    tags=("liveness", "spend"),
)
LOOKED = (
    "a choice that changes between turns",
    "a way out at a named tool, a count or a tool's result",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a loop, a graph and an agent that forces a tool."""
    for loop, call in forced_turns(graph):
        yield from _loop(graph, loop, call)
    for bound, condition in bound_for_good(graph):
        yield _graph(bound, condition)
    for agent in graph.agents:
        if agent.framework == "openai-agents" and code_kind(agent.site.place.file) != "test":
            yield from _agent(graph, agent)


def _loop(graph: AgentGraph, loop: AgentLoop, call: ModelCall) -> Iterator[Assessment]:
    owner = loop.fn.qualname
    closed, others = exits_of(graph, loop)
    here = related(call.site.place, "every turn forces a tool call")
    if others:
        there = related(others[0].place, "the loop is left here")
        yield fine(owner, "met-differently", "it has another way out", here, there)
    elif closed:
        message = f"`{owner}` forces a tool call on every turn and ends at a reply without one."
        evidence = (
            primary(_choice(call).place, "this forces a tool call on every turn"),
            related(closed[0].place, "only a reply without a tool call gets here"),
            related(loop.place, "the loop"),
        )
        yield _hit(owner, owner, message, *evidence)


def _choice(call: ModelCall) -> Site:
    given = argument(call.call, "tool_choice") or call.call
    return Site(given, call.site.at)


def _graph(bound: Site, condition: Site) -> Assessment:
    owner = bound.fn.qualname
    message = (
        f"`{owner}` binds tools with a forced choice, and only `tools_condition` ends the run."
    )
    evidence = (
        primary(bound.place, "the model has to call a tool whenever it is asked"),
        related(condition.place, "only a reply without a tool call ends the run"),
    )
    return _hit(owner, owner, message, *evidence)


def _agent(graph: AgentGraph, agent: Agent) -> Iterator[Assessment]:
    settings = argument(agent.call, "model_settings")
    inner = settings if isinstance(settings, E.Call) else None
    choice = argument(inner, "tool_choice") if inner is not None else None
    if not forces(graph, choice, agent.site.fn) or not agent.tools:
        return
    here = related(agent.site.place, "this agent forces a tool call")
    reset = argument(agent.call, "reset_tool_choice")
    behaviour = argument(agent.call, "tool_use_behavior")
    if not (isinstance(reset, E.Const) and reset.value is False):
        yield fine(agent.name, "met", "the SDK releases the choice after the first call", here)
    elif behaviour is not None and not _runs_on(behaviour):
        yield fine(agent.name, "met-differently", "a tool's result ends the run", here)
    else:
        message = f"`{agent.name}` must call a tool on every turn, so it never gives an answer."
        place = agent.site.fn.place(reset.span)
        evidence = (primary(place, "the forced choice is kept on every turn"), here)
        yield _hit(agent.name, agent.name, message, *evidence)


def _runs_on(behaviour: E.Expr) -> bool:
    return isinstance(behaviour, E.Const) and behaviour.value == "run_llm_again"


def _hit(subject: str, owner: str, message: str, *evidence: CodeEvidence) -> Assessment:
    hit = Hit(
        message=message,
        owner=owner,
        failure_path=(
            "the model has all it needs",
            "the request forces one more tool call",
            "the loop, which waits for a reply without one, goes on",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner},
    )
    return Assessment(subject=subject, verdict="not-met", why=message, evidence=evidence, hit=hit)
