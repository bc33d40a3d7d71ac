"""Two tools of one name are put into one registry, one list of schemas or one table.

A model calls tools by name, so a name must mean one tool. A server or agent that is given a second
tool of a taken name keeps only one of the two, with a line in its log, or refuses to start; a
provider refuses a request with two schemas of one name, or answers calls that could mean either;
a table silently keeps the last function under a key.

Looked at are functions that are registered with one and the same object (`@server.tool`, also
from several files), literal lists of schemas, and literal tables from names to functions.
Definitions in the branches of an `if` or `try` are left out, as only one of them comes about. An
agent that is given two tools of one name in its list is the matter of `lossy-tool-schema`.
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
from agentcheck_rules.tools._namesakes import Pair, Where, registered, shown

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC308",
    topic="duplicate-tool-name",
    title="Two tools of one name are registered in one place",
    question="Does each name mean one tool?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="A call must run the tool that the model was shown.",
    consequence="One of the two can never be called, or the request or the start fails; which one "
    "it is depends on the release.",
    owner="whoever registers the tools",
    smallest_change="Give the second tool a name of its own.",
    could_break="Prompts that name the tool.",
    acceptance="Every name that {owner} registers means one tool.",
    tags=("correctness",),
)
_PATHS: dict[Where, tuple[str, str]] = {
    "registry": (
        "registers two tools named",
        "the second replaces the first, is dropped with a warning, or raises",
    ),
    "list": (
        "shows the model two schemas named",
        "the provider refuses the request, or the model's call may mean either",
    ),
    "table": ("keeps two functions under the key", "the last one silently replaces the first"),
}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a name in a registry, one a pair in a display."""
    for name, tools in registered(graph):
        first, *others = tools
        if not others:
            yield fine(name, "met", "the name is its own", related(first.place, "the tool"))
        else:
            owner = others[0].place.file
            yield _pair(Pair(name, "registry", owner, first.place, others[0].place))
    for pair in shown(graph):
        yield _pair(pair)


def _pair(pair: Pair) -> Assessment:
    does, then = _PATHS[pair.where]
    hit = Hit(
        message=f"`{pair.owner}` {does} `{pair.name}`: {then}.",
        owner=pair.owner,
        failure_path=(f"the model calls `{pair.name}`", then, "one of the two can never be run"),
        challenge=Challenge(
            "upheld", ("branches of which only one comes about", "another registry for the second")
        ),
        names={"owner": pair.owner, "tool": pair.name},
    )
    evidence = (
        primary(pair.second, f"this is the second `{pair.name}`"),
        related(pair.first, "this is the first"),
    )
    return Assessment(
        subject=pair.name, verdict="not-met", why=hit.message, evidence=evidence, hit=hit
    )
