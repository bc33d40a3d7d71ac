"""Files that were read, with their facts at hand as soon as they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentcheck.facts.outcome import Outcome
from agentcheck.facts.record import Record, facts_in
from agentcheck.model.facts import FileFacts
from agentcheck.source.discover import SourceFile

if TYPE_CHECKING:
    from agentcheck.facts.kept import KeptFacts


class Read:
    """A file that was read, and its facts, which stay encoded until they are asked for."""

    def __init__(
        self,
        file: SourceFile,
        record: Record,
        outcome: Outcome | None = None,
        kept: KeptFacts | None = None,
    ) -> None:
        self.file = file
        self.record = record
        self._outcome = outcome
        self._kept = kept

    def facts(self) -> FileFacts | None:
        """The facts; read once more where they are nowhere any more, or damaged."""
        if self.record.brief is None:
            return None
        if self._outcome is not None:
            return self._outcome.facts
        data = self.record.data
        if data is None and self._kept is not None:
            data = self._kept.data(self.file)
        try:
            return self._again() if data is None else facts_in(data, self.file.path)
        except ValueError:
            if self._kept is not None:
                self._kept.forget(self.file)
            return self._again()

    def fetch(self) -> None:
        """Have the facts at hand, still encoded, before this process is forked."""
        if self.record.data is None and self._outcome is None and self._kept is not None:
            self.record.data = self._kept.data(self.file)

    def _again(self) -> FileFacts | None:
        from agentcheck.facts.reading import outcome_of

        outcome = outcome_of(self.file, may_die=False)
        return outcome.facts if outcome is not None else None
