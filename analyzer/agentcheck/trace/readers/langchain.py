"""Lists of LangChain's messages: a run each, or one message a line.

The lists may stand under a key, as in a state that was dumped. Where a list begins with all of
the one before it, as in a stream of a graph's values, it continues the same run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.base import Fit, Format
from agentcheck.trace.readers.langchain_message import is_langchain, langchain_message
from agentcheck.trace.readers.langchain_replay import LangChainReplay
from agentcheck.trace.readers.listed import best_list, fit_list
from agentcheck.trace.records import BROKEN, Records, value_of

NAME = "LangChain messages"


def read_langchain(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of such messages."""
    losses = Losses(records.name, records.unit)
    reader = _LangChainFile(records.name)
    for record in records:
        try:
            yield from reader.take(record.number, value_of(record.raw))
        except BROKEN as error:
            reader.lost += 1
            yield from losses.broken(record.number, error)
        except LookupError:
            reader.lost += 1
            yield from losses.add(record.number, "of another shape; left out")
    yield from reader.close()
    yield from losses.rest()


class _LangChainFile:
    """Takes record after record; keeps the run that the next one may continue."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._replay: LangChainReplay | None = None
        self._told: list[Any] = []
        self._alone = False
        self.lost = 0

    def take(self, number: int, value: Any) -> Iterator[Run]:
        """The run that a record ends, if it begins another. Raises LookupError for no messages."""
        items = best_list(value, is_langchain)
        if items:
            fresh = self._told and not self._alone and items[: len(self._told)] == self._told
            if not fresh:
                yield from self.close()
            self._feed(number, items[len(self._told) :])
            self._told = items
        elif is_langchain(value):
            if not self._alone:
                yield from self.close()
            self._alone = True
            self._feed(0, [value])
        else:
            raise LookupError

    def close(self) -> Iterator[Run]:
        """The run that is open."""
        replay, alone = self._replay, self._alone
        self._replay, self._told, self._alone = None, [], False
        if replay is not None:
            replay.unknown += self.lost if alone else 0
            yield replay.whole(str(replay.run), NAME)

    def _feed(self, number: int, items: list[Any]) -> None:
        if self._replay is None:
            self._replay = LangChainReplay(self._name, number)
        for item in items:
            self._replay.feed(langchain_message(item))


def _fit(value: Any) -> Fit:
    return fit_list(value, is_langchain, "the `type` and `content` of a LangChain message")


_MARKS = ("type", "data", "content", "tool_calls", "response_metadata")
LANGCHAIN = Format(NAME, _fit, read_langchain, marks=_MARKS)
