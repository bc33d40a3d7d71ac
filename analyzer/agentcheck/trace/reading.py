"""Which readers a file is offered: those that ship, after a user's own; or the one he names."""

from __future__ import annotations

from msgspec import Struct

from agentcheck.trace.mapped.mapping import Mapping
from agentcheck.trace.readers import NAMED, Format


class Reading(Struct, frozen=True):
    """How to read trace files. `mappings` describe logs of a user's own, `only` names a format."""

    mappings: tuple[Mapping, ...] = ()
    only: str | None = None

    def formats(self) -> tuple[Format, ...]:
        """The readers to try; of those that fit equally well the first is taken."""
        named = self.named()
        return tuple(named.values()) if self.only is None else (named[self.only],)

    def named(self) -> dict[str, Format]:
        """Every reader by the name that a user calls it."""
        if not self.mappings:
            return NAMED
        from agentcheck.trace.mapped.reader import reader_of

        return {mapping.name: reader_of(mapping) for mapping in self.mappings} | NAMED


ANY = Reading()
"""Every format that ships, told apart by what a file holds."""
