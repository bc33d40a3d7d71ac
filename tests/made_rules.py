"""Rules made up for tests of what surrounds rules."""

from __future__ import annotations

from agentcheck.model.card import Card
from agentcheck.rule import Rule


def made_rule(topic: str = "repeated-call", family: str = "limits") -> Rule:
    """A rule of a topic that asks nothing itself."""
    card = Card(
        code="AC999",
        topic=topic,
        title="A fault",
        question="Is it fine?",
        severity="low",
        confidence="medium",
        at_stake="-",
        consequence="-",
        owner="-",
        smallest_change="-",
        could_break="-",
        acceptance="-",
    )
    return Rule(topic, family, f"rules.{topic}", card, "Doc.", None, None)
