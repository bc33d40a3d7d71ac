"""Values that a reply used, and where in the history they came from.

A value is a leaf of a tool call's arguments, or a word of an answer that holds a digit. It is
sought in the messages before the reply word for word; what stands nowhere there the model made
itself, and no strategy can lose it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentcheck.model.event import Source
from agentcheck.model.pattern import lazy_re
from agentcheck.whatif.conversation import Said
from agentcheck.whatif.similar.words import words_of

ANSWER = "(answer)"
"""What uses a value where no call does: no tool is called so."""
_LONG = 60
_SHORT = 4
_TELLING = lazy_re(r"(?<![\w.])(?=[\w.:/@-]{0,60}\d)\w[\w.:/@-]{1,60}\w(?!\w)")
_ENDLESS = 200
"""Values of one message that are looked at."""


class Used(NamedTuple):
    """A value that a message used: the record, and the messages before it that hold the value."""

    source: Source
    what: str
    value: str
    held_in: frozenset[int]

    @property
    def is_answer(self) -> bool:
        """Whether a text used it, and no call."""
        return self.what == ANSWER

    @property
    def key(self) -> tuple[Source, str, str]:
        """What makes it the same under another strategy."""
        return self.source, self.what, self.value


class Index:
    """The words of messages, to find which of them hold a value."""

    def __init__(self) -> None:
        self._found_in: dict[str, set[int]] = {}
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """The next message."""
        number = len(self._texts)
        words = words_of(text)
        self._texts.append(f" {' '.join(words)} ")
        for word in words:
            self._found_in.setdefault(word, set()).add(number)

    def holding(self, value: str) -> frozenset[int]:
        """The messages that hold a value: its words, one after the other."""
        words = words_of(value)
        if not words:
            return frozenset()
        sets = sorted((self._found_in.get(word, set()) for word in words), key=len)
        phrase = f" {' '.join(words)} "
        found = sets[0].intersection(*sets[1:])
        return frozenset(number for number in found if phrase in self._texts[number])


def values_of(said: Said) -> Iterator[tuple[Source, str, str]]:
    """The values that a reply used: the record, what used it, and the value."""
    count = 0
    for call in said.calls:
        for value in dict.fromkeys(_leaves(call.arguments)):
            if (count := count + 1) <= _ENDLESS:
                yield call.source, call.name, value
    for value in dict.fromkeys(_words(said.text)):
        if (count := count + 1) <= _ENDLESS:
            yield said.source, ANSWER, value


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case bool() | None:
            return
        case str():
            yield from [value] if _SHORT <= len(value) <= _LONG else _words(value)
        case int() | float():
            if len(str(value)) >= _SHORT:
                yield str(value)
        case list():
            for item in value:
                yield from _leaves(item)
        case dict():
            for item in value.values():
                yield from _leaves(item)


def _words(text: str) -> Iterator[str]:
    """The words of a text that name something: they hold a digit, and four characters."""
    return (word for word in _TELLING.findall(text) if len(word) >= _SHORT)
