"""Runs of digits are taken for card numbers by their length alone.

A card number ends in a check digit, and nine of ten random numbers of its length do not. A pattern
that asks for the length alone takes order numbers, tracking numbers and times in microseconds for
cards: they are blanked out before the model or the customer sees them, or the message is refused.

Reported are patterns of 13 to 19 digits, with or without gaps, in code that hides or stops what
they find, to judge by the names, keys and replacements around them. A Luhn check anywhere in the
same program, a library that makes one, and a sum taken modulo ten are met. Patterns that ask for
the first digits of an issuer are left alone. Told to pedantic readers, one finding a file.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
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
from agentcheck_rules.guards._digits import Digits, check_digit, digit_patterns

CARD = Card(
    code="AC704",
    topic="digits-unchecked",
    title="Digits are taken for a card number by their length alone",
    question="Is a run of digits checked before it is hidden or stopped as a card number?",
    severity="low",
    confidence="medium",
    persona="pedantic",
    remedy_confidence="high",
    at_stake="A redaction must hide what is private and leave the rest to work with.",
    consequence="Order and tracking numbers vanish from what the model or the customer reads.",
    owner="whoever owns the redaction",
    smallest_change="Check each match with the Luhn formula before it is hidden or stopped.",
    could_break="Mistyped card numbers, whose check digit is wrong, are no longer hidden.",
    acceptance="{owner} hides a test card number and leaves a 16-digit order number whose last "
    "digit does not check.",
    tags=("privacy", "correctness"),
)
LOOKED = ("a Luhn check or a library for it in the same program", "the first digits of an issuer")


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a file that takes digits for card numbers."""
    for path, functions in graph.program.functions.items():
        if code_kind(path) == "test":
            continue
        found = [d for fn in functions for d in digit_patterns(graph, fn)]
        if found:
            yield _file(graph, path, found)


def _file(graph: AgentGraph, path: str, found: list[Digits]) -> Assessment:
    first = found[0]
    owner, checked = first.fn.qualname, check_digit(graph, path)
    if checked is not None:
        here = related(checked.place, "the check digit is looked at here")
        return fine(owner, "met", "The digits are checked.", here)
    more = f" ({len(found)} patterns in this file)" if len(found) > 1 else ""
    hit = Hit(
        message=f"`{owner}` takes any run of digits this long for a card number{more}.",
        owner=owner,
        failure_path=(
            "a text holds an order number as long as a card number",
            "the pattern takes it for a card; nothing looks at its check digit",
            "it is hidden, or the text is refused",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner},
    )
    evidence = [primary(first.site.place, "the length is all that is asked for")]
    evidence += [related(d.site.place, "and here") for d in found[1:4]]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
