"""What a check of an expectation says."""

from __future__ import annotations

from msgspec import Struct

from agentcheck.model.event import Event
from agentcheck.model.expectation import Outcome


class Said(Struct, frozen=True):
    """How an expectation came out in a run, with a sentence and the event that shows it."""

    outcome: Outcome
    text: str = ""
    event: Event | None = None
    expectation: str = ""


def passed() -> Said:
    """It holds."""
    return Said("pass")


def failed(text: str, event: Event | None = None) -> Said:
    """It does not hold."""
    return Said("fail", text, event)


def unclear(text: str) -> Said:
    """The record does not tell."""
    return Said("cannot-tell", text)
