"""Names and operators: strings that the facts of a target hold over and over."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    Word: TypeAlias = str
else:

    class _OfStrings(type):
        """Tells whether something is a str, without a call of Python code."""

        __instancecheck__ = str.__instancecheck__

    class Word(metaclass=_OfStrings):
        """A str, of which `shared` is asked for the one to hold when facts are decoded."""


def shared(_kind: type, found: str) -> str:
    """The one str of those that are equal."""
    return intern(found)
