"""Where the arguments of a call come from: from what people said, or from what tools returned.

An instruction that was injected into a web page or a mail has to bring its own arguments: the
address to send to, the account to pay. So an argument that a tool returned, and that neither the
user nor the system prompt names, is tainted. What the model made up itself is not, unless it is an
address or a number of an account: nobody vouches for those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from msgspec import Struct

from agentcheck.model.event import Message, ModelCall, Run, ToolCall, ToolResult
from agentcheck.model.pattern import lazy_re

COPIED = 24
"""Characters of a line from which on its reappearing is copying and no chance."""
MOST = 5e9
"""Characters that may be looked through for one call: a few seconds."""
_ADDRESS = lazy_re(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}|(?:https?://|www\.)[^\s\"'<>)\]]{1,300}"
    r"|(?<![\w-])(?=[a-z]{0,6}\d)[a-z]{0,6}\d[a-z\d]{7,33}(?![\w-])"
)
_WORD = lazy_re(r"[^\W_]+")
_LETTERS = lazy_re(r"[^\W_]*")


class Texts(Struct, frozen=True):
    """What was said and what was returned before a call, plain. None for what is not known."""

    said: str | None
    read: str | None


class History:
    """The texts of a run up to the calls that are asked about, which must come in order."""

    def __init__(self, run: Run) -> None:
        self._events = iter(run.events)
        self._known = {"content", "results"} <= run.known
        self._said: list[str] = []
        self._read: list[str] = []
        self._next = next(self._events, None)

    def before(self, call: ToolCall) -> Texts:
        """What stands before a call; nothing is known where the record leaves texts out, and
        nobody is known to have said anything where no person's text is recorded."""
        while self._next is not None and self._next.seq < call.seq:
            self._take(self._next)
            self._next = next(self._events, None)
        if not self._known or not self._said:
            return Texts(None, None)
        self._said, self._read = ["\n".join(self._said)], ["\n".join(self._read)]
        return Texts(self._said[0], self._read[0])

    def _take(self, event: object) -> None:
        if isinstance(event, Message) and event.role not in ("assistant", "tool"):
            self._said.append(flat(event.text))
        elif isinstance(event, ModelCall) and event.system_text:
            self._said.append(flat(event.system_text))
        elif isinstance(event, ToolResult):
            self._read.append(flat(event.content))


def tainted(arguments: Mapping[str, Any], texts: Texts) -> dict[str, str]:
    """The arguments that nobody vouches for, by name, with the value that shows it. All of them
    where nothing is known, or there is too much to look through."""
    if texts.said is None or texts.read is None:
        return dict.fromkeys(arguments, "")
    given = {name: dict.fromkeys(_values(value)) for name, value in arguments.items()}
    if _work(given.values(), texts.said, texts.read) > MOST:
        return dict.fromkeys(arguments, "")
    found = {}
    for name, values in given.items():
        bad = next((v for v in values if _is_tainted(v, texts.said, texts.read)), None)
        if bad is not None:
            found[name] = bad
    return found


def _work(given: Iterable[Iterable[str]], said: str, read: str) -> int:
    """Characters that are looked through at most: all texts for each line, the user's for each
    word."""
    lines = words = 0
    for value in chain.from_iterable(given):
        lines += value.count("\n") + 1
        words += len(value.split())
    return lines * (len(said) + len(read)) + words * len(said)


def flat(text: str) -> str:
    """Lower case, with single blanks; lines are kept."""
    return "\n".join(" ".join(line.split()) for line in text.lower().splitlines())


def _is_tainted(value: str, said: str, read: str) -> bool:
    if not value or _is_said(value, said):
        return False
    if _names(read, value):
        return True
    if any(not _names(said, found[0]) for found in _ADDRESS.finditer(value)):
        return True
    return any(len(p) >= COPIED and p in read and p not in said for p in value.split("\n"))


def _is_said(value: str, said: str) -> bool:
    """Whether a value stands in what was said, or is put together of words of it.

    Addresses and account numbers must stand there whole.
    """
    if _names(said, value):
        return True
    if _ADDRESS.search(value):
        return False
    words = _WORD.findall(value)
    return bool(words) and all(_names(said, word) for word in words)


def _names(text: str, value: str) -> bool:
    """Whether a text has a value as words of its own."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (_joins(before, value[0]) or _joins(after, value[-1])):
            return True
        # Where a value begins with a letter, no other can begin within the same word.
        word = _LETTERS.match(text, at)
        at = text.find(value, max(at + 1, word.end() if word else 0))
    return False


def _joins(outside: str, inside: str) -> bool:
    """Whether two characters belong to one word."""
    return outside.isalnum() and inside.isalnum()


def _values(value: Any) -> Iterator[str]:
    """The texts and numbers in an argument, plain; truth values tell nothing."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            yield flat(here)
        elif isinstance(here, bool) or here is None:
            continue
        elif isinstance(here, int | float):
            yield f"{here:.0f}" if isinstance(here, float) and here.is_integer() else str(here)
        elif isinstance(here, dict):
            waiting += here.values()
        elif isinstance(here, list | tuple):
            waiting += here
