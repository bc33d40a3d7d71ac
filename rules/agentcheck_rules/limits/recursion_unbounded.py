"""An agent loop is written as recursion, or a tool starts an agent with that tool, without end.

A function that asks a model, runs the tools of the reply and calls itself is a loop; nothing but
the model's final answer ends it, or Python's recursion limit after about a thousand rounds, with
all that was done lost. An agent whose tool starts an agent of its own kind is worse: each may start
several more.

Asked about are functions outside tests that ask a model, read what kind of reply came, and are
entered again from their own body or from one helper in the same file; and tools whose body starts
an agent that holds the same tool. Bounded is what moves a number among the arguments of its call,
compares anything by size, or tests something named for a count; a round for which a person is asked
is paced by that person. Calls of itself from the handler of a failed call are retries and told
there. A function that takes a tree apart does not read the kind of a reply and is none of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    fine,
    primary,
    related,
)
from agentcheck_rules.limits._recursion import Again, recursions
from agentcheck_rules.limits._spawns import Spawn, spawns

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC105",
    topic="recursion-unbounded",
    title="An agent loop written as recursion has no bound",
    question="Does every agent that enters itself again count how deep it is?",
    severity="medium",
    confidence="medium",
    remedy_confidence="high",
    at_stake="One request must not be able to spend an unbounded number of model calls.",
    consequence="A run that never finishes calls the model about a thousand times and then dies of "
    "a RecursionError with all its work; agents that start agents spend many times that.",
    owner="whoever owns the agent loop",
    smallest_change="Turn the recursion into a loop over a finite number of turns, or pass a depth "
    "that is counted up and compared.",
    could_break="Runs that need more rounds than the limit now end early.",
    acceptance="A scripted model that always asks for another tool call makes {owner} stop after a "
    "fixed number of model calls, with a reason.",
    tags=("spend", "liveness"),
)
_LOOKED = (
    "a number that moves among the arguments of the call",
    "a comparison by size, or a test of something named for a count",
    "a person asked on every round",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that enters itself again, one a tool that starts its own agent."""
    for again in recursions(graph):
        yield _assess(again)
    for spawn in spawns(graph):
        yield _spawned(spawn)


def _assess(again: Again) -> Assessment:
    owner, here = again.fn.qualname, related(again.site.place, "the function is entered again")
    if again.person:
        return fine(owner, "met-differently", "a person is asked on every round", here)
    if again.bounded is not None:
        return fine(owner, "met", "the rounds are counted", here, related(again.bounded, "here"))
    by = f", by way of `{again.by.name}`" if again.by is not None else ""
    hit = Hit(
        message=f"`{owner}` asks the model and calls itself again{by}; nothing counts the rounds.",
        owner=owner,
        failure_path=(
            f"`{owner}` asks the model, which asks for a tool",
            "the tool runs and the function calls itself with the longer history",
            "the model asks for another tool each time, and nothing but its final answer ends it",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence = (
        primary(again.site.place, "the next round begins here"),
        related(again.asks.place, "the model is asked on every round"),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)


def _spawned(spawn: Spawn) -> Assessment:
    name, here = spawn.tool.name, related(spawn.starts.place, "the tool starts an agent")
    if spawn.guard is not None:
        there = related(spawn.guard, "this speaks of depth or of tools left out")
        return fine(name, "met", "what it starts is limited, by its words", here, there)
    hit = Hit(
        title="A tool starts an agent that has the same tool",
        message=f"`{name}` starts an agent that may call `{name}` again; nothing counts how deep.",
        owner=name,
        failure_path=(
            f"the model calls `{name}`",
            "an agent starts, with the same tool among its own",
            f"it calls `{name}` too, perhaps several times, and so does each that follows",
        ),
        challenge=Challenge("upheld", ("a depth that is passed on", "a shorter list of tools")),
        smallest_change="Leave the tool out of what the started agent gets, or pass a depth on.",
        acceptance="A scripted model that always calls {owner} stops after a fixed depth.",
        names={"owner": name, "tool": name},
    )
    evidence = (
        primary(spawn.starts.place, "the agent is started here"),
        related(spawn.tool.place, "this tool is among its tools"),
    )
    return Assessment(subject=name, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
