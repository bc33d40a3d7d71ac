"""An agent loop leaves no record of its runs.

When a user says that the agent paid twice, the question is what it was asked, which tools it
called with what, and how long each took. A run that leaves nothing, or a line on a console that
nobody kept, cannot answer it, and cannot be audited, replayed or learnt from.

Looked at are the loops that run tools of a model's choice: the package of such a loop and what
it imports. A logger, a tracer, a database, a file that is written, an event that is handed to
somebody: any of these is taken for a record, whatever is in it. So only loops without any are
reported, to pedantic readers; an application around a library may still keep one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Fn,
    Hit,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules._tool_loops import Group, running_tools
from agentcheck_rules.records._kept import package_of, printing, recorder, told

CARD = Card(
    code="AC801",
    topic="no-run-record",
    title="An agent loop leaves no record of its runs",
    question="Does every agent loop leave a structured record of what it did?",
    severity="low",
    confidence="medium",
    persona="pedantic",
    at_stake="What an agent did must be known afterwards.",
    consequence="A complaint, an incident or a bill cannot be traced to the calls that made it.",
    owner="whoever owns the agent loop",
    smallest_change="Write one record a model call and tool call: run id, time, duration, names, "
    "tokens and outcome, without content.",
    could_break="Nothing; the records take space.",
    acceptance="A scripted run of {owner} with one tool call leaves a record with a run id, both "
    "calls and their durations.",
    tags=("observability",),
)
_LOOKED = (
    "a logger or a tracer in the package",
    "a file or a row that is written",
    "an event, a callback or a hook that the loop calls",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a folder of a program with loops that run tools."""
    groups: dict[tuple[PurePosixPath, str], Group] = {}
    for loop, functions in running_tools(graph):
        path = loop.fn.file.path
        key = (PurePosixPath(path).parent, graph.program.modules.component(path))
        groups.setdefault(key, []).append((loop, functions))
    for loops in groups.values():
        yield _package(graph, loops)


def _package(graph: AgentGraph, loops: Group) -> Assessment:
    first, functions = loops[0][0], list({f: None for _, fs in loops for f in fs})
    owner = first.fn.qualname
    seen = related(first.place, "this loop runs tools of the model's choice")
    files = {path for loop, _ in loops for path in package_of(graph, loop)}
    files = {path for path in files if code_kind(path) != "test"}
    kept = recorder(graph, files)
    if kept is not None:
        says = "something that records is used here"
        return fine(
            owner, "met-differently", "Its package has a record.", seen, related(kept, says)
        )
    event = told(graph, functions)
    if event is not None:
        says = "the loop tells somebody of it here"
        return fine(
            owner, "met-differently", "It hands on what it does.", seen, related(event.place, says)
        )
    return _unrecorded(graph, [loop for loop, _ in loops], functions)


def _unrecorded(graph: AgentGraph, loops: list[AgentLoop], functions: list[Fn]) -> Assessment:
    owner = loops[0].fn.qualname
    prints = list(printing(graph, functions))[:3]
    says = " All that it does is print." if prints else ""
    hit = Hit(
        message=f"Nothing in the package of `{owner}` records what a run did.{says}",
        owner=owner,
        failure_path=(
            f"`{owner}` asks models and runs tools",
            "the result is returned and the rest is forgotten",
            "what happened cannot be told afterwards",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence: list[CodeEvidence] = [primary(loops[0].place, "no turn of this loop is recorded")]
    evidence += [related(loop.place, "nor of this one") for loop in loops[1:4]]
    for fn, site in prints:
        where = fn.place(fn.facts.name_span)
        if where.span.line != site.expr.span.line:
            evidence.append(related(where, "the loop prints through this"))
        evidence.append(related(site.place, "a print is no record"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
