"""What tools are called with and what they return is written to a log in full.

A tool's arguments hold addresses, amounts and the texts that users dictate; its result holds what
a system of record knows of a person. An audit log has to say that a tool was called, by whom,
when and with what outcome; it is kept for long and read by many, so the content itself belongs
behind a mask or a hash.

Looked at are lines at info level or above in a log or a log file, and entries of what is named as
an audit log: the arguments of a model's tool call, the result of running it, and what hooks
around tool calls are given. Lengths, keys, ids, masked values, debug level and a switch around
the line are met. Whether a tool's data are personal is not seen, so the finding is for the
careful reader. Prompts and replies have a rule of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    code_kind,
    primary,
    related,
)
from agentcheck_rules.records._sinks import Line
from agentcheck_rules.records._tool_content import ToolContent, recorded

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC852",
    topic="tool-content-logged",
    title="Tool arguments or results are logged in full",
    question="Are the records of tool calls free of what the tools were given and returned?",
    severity="low",
    confidence="medium",
    at_stake="A record of what an agent did must not hold the data it did it with.",
    consequence="Customers' data stand in a log that is kept longer and read by more people than "
    "the system they came from, and deletion requests miss them.",
    owner="whoever records tool calls",
    smallest_change="Record the tool's name, the call id, the outcome and a hash or the keys of "
    "the arguments; mask the rest or keep it for the debug level.",
    could_break="Debugging that read the values from the log.",
    acceptance="With a marked value in a tool's arguments and result, {owner} records neither at "
    "info level.",
    persona="pedantic",
    tags=("privacy", "observability"),
)
_LOOKED = ("a mask or hash around the value", "a debug level or a switch", "only lengths and keys")


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that records the content of tool calls, by all such lines."""
    content = ToolContent(graph)
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test" or fn.index == 0:
            continue
        found = [
            (line, kind)
            for line in recorded(graph, fn)
            for kind in [next(filter(None, (content.kind(p, fn) for p in line.parts)), None)]
            if kind is not None
        ]
        if found:
            yield _hit(fn, found)


def _hit(fn: Fn, found: list[tuple[Line, str]]) -> Assessment:
    owner, kinds = fn.qualname, dict.fromkeys(kind for _, kind in found)
    what = " and ".join({"arguments": "arguments", "result": "results"}[k] for k in sorted(kinds))
    count = f" in {len(found)} places" if len(found) > 1 else ""
    hit = Hit(
        message=f"`{owner}` records the {what} of tool calls in full{count}.",
        owner=owner,
        failure_path=(
            "a tool is called with a customer's data, or returns them",
            f"`{owner}` writes them to a record at the level that production keeps",
            "they are kept and read where nobody expects them",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    says = {"arguments": "what the tool is called with", "result": "what the tool returned"}
    evidence = [primary(found[0][0].site.place, f"{says[found[0][1]]} is written out here")]
    evidence += [related(line.site.place, f"and {says[kind]} here") for line, kind in found[1:5]]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
