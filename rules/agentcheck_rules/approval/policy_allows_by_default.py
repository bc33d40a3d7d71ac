"""A policy about tools says yes to every tool that it does not know.

A policy is filled once and tools are added every week. The day one is added and forgotten in the
policy, what holds is the default: a policy that denies by default stops the new tool until
somebody has thought of it, and one that allows by default lets it run unseen. The same goes for a
tool name that the model made up or that a server under another's control offers.

Reported are look-ups of a tool's name in a table named for permissions with a default that allows,
tables whose missing entries allow, tables of what needs approval whose default is that it does
not, and guards that are asked about a tool's name, refuse the names on a list and say yes to all
others. Met are defaults that deny or ask, and look-ups behind a refusal of names that the table
does not hold. Lists of forbidden words in front of a shell are reported by another rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    Persona,
    Severity,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.approval._defaults import defaults
from agentcheck_rules.approval._lists import Default

CARD = Card(
    code="AC403",
    topic="policy-allows-by-default",
    title="A tool that the policy does not know is allowed",
    question="Does the policy deny, or ask about, a tool that it does not know?",
    severity="medium",
    confidence="medium",
    remedy_confidence="high",
    at_stake="A tool that nobody has thought of must not run because nobody has thought of it.",
    consequence="A new, renamed or invented tool runs without any decision about it.",
    owner="whoever owns the tool policy",
    smallest_change="Let the default deny or ask, and name the tools that are allowed.",
    could_break="Tools that are missing from the policy stop until they are entered.",
    acceptance="Asked about a tool name that the policy does not hold, {owner} does not allow it.",
    tags=("security", "approval"),
)
LOOKED = (
    "a refusal of names that the table does not hold",
    "another check before the yes",
    "a default that denies or asks",
)


class _Kind(Struct, frozen=True):
    """How one kind of default is told; `{owner}` is filled in."""

    message: str
    says: str
    severity: Severity | None = None
    persona: Persona | None = None


_KINDS = {
    "lookup": _Kind(
        "`{owner}` allows a tool that its policy has no entry for.",
        "without an entry the answer is yes",
    ),
    "ask": _Kind(
        "`{owner}` asks nobody about a tool that its table has no entry for.",
        "without an entry nobody is asked",
        severity="low",
        persona="pedantic",
    ),
    "table": _Kind(
        "A policy in `{owner}` answers yes for every tool that it has no entry for.",
        "a missing entry is a yes",
    ),
    "final": _Kind(
        "`{owner}` refuses the names on a list and allows every other tool.",
        "every name that is not on the list is allowed",
        severity="low",
        persona="pedantic",
    ),
}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a default of a policy about tools."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) != "test":
            for found in defaults(graph, fn):
                yield _open(found) if found.open else _closed(found)


def _closed(found: Default) -> Assessment:
    here = related(found.other or found.place, "a tool that is not known is not allowed by itself")
    return fine(found.fn.qualname, "met", "The default is no, or asks.", here)


def _open(found: Default) -> Assessment:
    owner, kind = found.fn.qualname, _KINDS[found.how]
    hit = Hit(
        message=kind.message.format(owner=owner),
        owner=owner,
        severity=kind.severity,
        persona=kind.persona,
        failure_path=(
            "a tool is added, renamed or made up, and the policy has no entry for it",
            "the model calls it",
            f"`{owner}` finds nothing and falls back on yes",
            "the tool runs, and nobody has decided that it may",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner},
    )
    evidence = [primary(found.place, kind.says)]
    if found.other is not None:
        evidence.append(related(found.other, "this is all that is refused"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
