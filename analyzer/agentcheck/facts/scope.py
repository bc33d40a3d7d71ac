"""Where the lowering of a file is."""

from __future__ import annotations

from typing import NamedTuple


class Scope(NamedTuple):
    """Where the walk is: indices into functions and classes, and the prefix of names below.

    `owner` is the class directly around, or None inside a function or at module level.
    """

    function: int
    owner: int | None
    prefix: str
    guarded: bool

    def guard(self, *, when: bool) -> Scope:
        """The same scope, its imports guarded when `when` holds."""
        return self._replace(guarded=True) if when and not self.guarded else self
