"""A record as a mapping reads it."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.mapped.mapping import KINDS, SPEAKERS, Mapping
from agentcheck.trace.mapped.pointers import Found, follow, text_of_pointer
from agentcheck.trace.readers.fields import as_amount, as_count

_NOTHING: tuple[Any, ...] = (None, False, 0, 0.0, "", [], {})


class Seen:
    """A decoded object and what a mapping finds in it; `whole` is the run's object around it."""

    __slots__ = ("_mapping", "value", "whole")

    def __init__(self, mapping: Mapping, value: Any, whole: Seen | None = None) -> None:
        self._mapping = mapping
        self.value = value
        self.whole = whole

    def find(self, key: str) -> Found | None:
        """What stands where the mapping says a thing is."""
        at = self._mapping.at.get(key)
        return follow(self.value, at) if at else None

    def get(self, key: str) -> Any:
        """The same, its value alone; None where there is nothing."""
        found = self.find(key)
        return found.value if found else None

    def name(self, key: str) -> str | None:
        """A name or an id, also one that is a number, in the record or in the run's object."""
        value = self.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return str(value)
        return self.whole.name(key) if self.whole else None

    def count(self, key: str) -> int | None:
        """A whole number."""
        return as_count(self.get(key))

    def amount(self, key: str) -> float | None:
        """A number."""
        return as_amount(self.get(key))

    def place(self, key: str) -> str:
        """The JSON pointer to a thing, "" where it is not there."""
        found = self.find(key)
        return found.pointer if found else ""

    def flag(self, key: str, values: tuple[Any, ...]) -> bool:
        """Whether a value is one of some, or without them says anything but no."""
        value = self.get(key)
        return _among(value, values) if values else not _among(value, _NOTHING)

    def kind(self) -> tuple[str | None, str]:
        """What the record is, a word of KINDS, or None and why that cannot be told."""
        if not isinstance(self.value, dict):
            return None, "no object"
        if "kind" not in self._mapping.at:
            return self._checked("model-call")
        said, why = self._explained("kind")
        if said != "message":
            return self._checked(said) if said else (None, why)
        role, why = self._explained("role")
        return self._checked(role) if role and role != "message" else (None, why)

    def _explained(self, key: str) -> tuple[str | None, str]:
        found = self.find(key)
        if found is None or found.value is None:
            return None, f"nothing stands at `{key}` ({self._told(key)})"
        word = word_of(found.value)
        said = self._mapping.kinds.get(word, word if key == "role" and word in SPEAKERS else None)
        shown = word if len(word) <= 40 else f"{word[:39]}\N{HORIZONTAL ELLIPSIS}"
        return said, "" if said else f'its {key} "{shown}" is not among `kinds`'

    def _checked(self, kind: str) -> tuple[str | None, str]:
        """The kind, if what it needs is there."""
        for any_of in KINDS[kind]:
            keys = [key for key in any_of if key in self._mapping.at]
            if keys and not any(self.find(key) for key in keys):
                told = " or ".join(f"`{key}` ({self._told(key)})" for key in keys)
                return None, f"it is a {kind}, and nothing stands at {told}"
        if kind == "tool-call" and self.name("tool") is None:
            return None, "the tool of a tool-call has no name"
        return kind, ""

    def _told(self, key: str) -> str:
        return ", ".join(text_of_pointer(tokens) or '""' for tokens in self._mapping.at[key])


def word_of(value: Any) -> str:
    """A value as the tables of a configuration name it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _among(value: Any, values: tuple[Any, ...]) -> bool:
    """Whether a value is one of some; 1 is not true here, as it is to Python."""
    return any(type(value) is type(each) and value == each for each in values)
