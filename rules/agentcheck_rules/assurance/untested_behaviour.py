"""What an agent loop does when things go wrong is not tested, or is tested on a live model.

The ways in which an agent loop fails are known: the model never ends, its arguments are not JSON,
a tool raises, two handoffs come in one reply. None of them comes up in a test that asks for the
weather. A scripted model makes each a test of a few lines that costs nothing and gives the same
answer every time; a live model gives another answer tomorrow, and cannot be told to misbehave.

Looked at are loops that run tools, the tests whose calls lead to them, and what these speak of in
their names and lines. That is judged by words, so it is told to auditors only. Evaluations and
tests that build a provider's client, or run agents, with nothing in the model's place and no mark
by which they are chosen, are told of once a file.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Fn,
    Hit,
    Site,
    Verdict,
    fine,
    primary,
    related,
)
from agentcheck_rules._tool_loops import running_tools
from agentcheck_rules.assurance._tests import driving, live_files, untried

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC901",
    topic="untested-behaviour",
    title="What the agent loop does when things go wrong is not tested",
    question="Is each known way in which the agent loop fails driven by a test?",
    severity="low",
    confidence="low",
    persona="auditor",
    of_tests=True,
    at_stake="What an agent does on its worst day must be known before that day.",
    consequence="A change that breaks the turn limit or the handling of errors is found by users.",
    owner="whoever owns the tests of the agent loop",
    smallest_change="Write one test with a scripted model for each: a model that never ends, "
    "arguments that are no JSON, a tool that raises, two handoffs in one reply.",
    could_break="Nothing.",
    acceptance="Each such behaviour of {owner} has a test with a scripted model.",
    tags=("assurance",),
)
_LOOKED = (
    "calls in tests that lead to the loop",
    "words for each behaviour in the names and lines of these tests",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a loop that runs tools, one a file of tests that asks a live model."""
    graph = graph.with_tests
    handing = [a.site.fn for a in graph.agents if a.handoffs or a.handoff_tools]
    seen: set[Fn] = set()
    for loop, _ in running_tools(graph):
        if loop.fn not in seen:
            seen.add(loop.fn)
            handoffs = any(graph.program.together(loop.fn, fn) for fn in handing)
            yield _loop(graph, loop, handoffs=handoffs)
    for path, site in live_files(graph):
        yield _live(path, site)


def _loop(graph: AgentGraph, loop: AgentLoop, *, handoffs: bool) -> Assessment:
    owner = loop.fn.qualname
    tests = driving(graph, loop.fn)
    missing = untried(tests, handoffs=handoffs)
    here = primary(loop.place, "this loop runs tools of the model's choice")
    shown = [related(s.place, "this test drives it") for s in tests[:3]]
    if not missing:
        return fine(owner, "met", "Tests speak of each behaviour.", *shown)
    what = ", ".join(missing)
    if tests:
        message = f"The tests of `{owner}` do not speak of: {what}."
    else:
        message = f"No test that was read drives `{owner}`."
    hit = Hit(
        message=message,
        owner=owner,
        failure_path=(
            f"a change touches `{owner}`",
            f"no test tries {what}",
            "the fault is found when a model does it",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence: tuple[CodeEvidence, ...] = (here, *shown)
    verdict: Verdict = "partly" if tests else "not-met"
    return Assessment(subject=owner, verdict=verdict, why=message, evidence=evidence, hit=hit)


def _live(path: str, site: Site) -> Assessment:
    message = f"`{path}` asks a live model, with nothing scripted in its place."
    hit = Hit(
        title="A test or an evaluation asks a live model",
        message=message,
        owner=path,
        confidence="medium",
        failure_path=(
            f"`{path}` runs, by hand or in a pipeline",
            "a live model answers, differently each time and at a price",
            "it fails for no fault, or passes by luck",
        ),
        challenge=Challenge(
            "upheld", ("a stand-in for the model, in the file or its conftest", "a mark or a skip")
        ),
        smallest_change="Script the model in what must always hold; mark what needs a live one.",
        acceptance="{owner} runs without a network, or only when it is asked for by a mark.",
        names={"owner": path},
    )
    evidence = (primary(site.place, "from here on a live model is asked"),)
    return Assessment(subject=path, verdict="not-met", why=message, evidence=evidence, hit=hit)
