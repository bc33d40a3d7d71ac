"""Named rules about the text of a call: what they look for, how it is compiled, what they find.

Patterns are written for plain text (see `plain`): lower case, ASCII, and each blank of a pattern
stands for a gap of any length. In text that was spelt out letter by letter the gaps may be missing.
Every repetition in a pattern is bounded, so that no text makes a search slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal

from msgspec import Struct

from agentcheck.whatif.policy.plain import views

Severity = Literal["block", "warn"]
Scope = Literal["acting", "messages", "all"]

LONGEST = 400_000
"""Characters of one argument that are looked at; what is longer is cut in the middle."""
_JOINED = 4_000


class TextRule(Struct, frozen=True):
    """A rule about texts. `scope` says of which calls: those of tools that do more than read, those
    that may send messages, or all. `hints` are words of which one is in every text that fits."""

    name: str
    severity: Severity
    says: str
    patterns: tuple[str, ...]
    hints: tuple[str, ...]
    scope: Scope = "acting"


class Found(Struct, frozen=True):
    """A rule that a text fails, and the stretch of plain text that shows it."""

    rule: TextRule
    text: str


def breaches(rules: Sequence[TextRule], texts: Sequence[str]) -> Iterator[Found]:
    """The rules that some of the texts fail, each once, with what shows it."""
    read = [view for text in texts for view in views(_cut(text))]
    for rule in rules:
        found = next(filter(None, (_search(rule, *view) for view in read)), None)
        if found is not None:
            yield Found(rule, found)


def texts_of(arguments: Any, raw: str = "") -> list[str]:
    """The texts in the arguments of a call: each by itself, and short ones of one list or mapping
    put together, as a command and its arguments are; the raw text where they are no object."""
    if arguments is None:
        return [raw] if raw else []
    found: list[str] = []
    _collect(arguments, found)
    return found


def _collect(value: Any, found: list[str]) -> None:
    """Walks what may be nested deeply without calls within calls."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            found.append(here)
        elif isinstance(here, dict | list | tuple):
            items = list(here.values()) if isinstance(here, dict) else list(here)
            waiting += reversed(items)
            together = " ".join(_words(items))
            if len(items) > 1 and together and len(together) <= _JOINED:
                found.append(together)


def _words(items: Sequence[Any]) -> Iterator[str]:
    for item in items:
        if isinstance(item, str) and "\n" not in item:
            yield item
        elif isinstance(item, list) and all(isinstance(one, str) for one in item):
            yield " ".join(item)


def _search(rule: TextRule, text: str, loose: bool) -> str | None:  # noqa: FBT001
    if rule.hints and not any(hint in text for hint in rule.hints):
        return None
    for pattern in _compiled(rule.patterns, loose):
        match = pattern.search(text)
        if match is not None:
            return match[0]
    return None


@cache
def _compiled(patterns: tuple[str, ...], loose: bool) -> tuple[re.Pattern[str], ...]:  # noqa: FBT001
    gap = r"\s{0,40}" if loose else r"\s{1,40}"
    return tuple(re.compile(pattern.replace(" ", gap)) for pattern in patterns)


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n{text[-half:]}"
