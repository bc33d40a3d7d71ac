"""What recorded runs would have been like under other rules: policies, models, histories."""

from __future__ import annotations

from typing import Protocol

from agentcheck.model.event import Run
from agentcheck.model.whatif import Answer


class Asks(Protocol):
    """One question. It sees every run once, and may keep no run."""

    def add(self, run: Run) -> None:
        """Take in a run."""

    def answer(self) -> Answer:
        """What the runs that were taken in say."""
