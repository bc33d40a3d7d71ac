"""What rules said of code, and what those of several parts of it come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from agentcheck.model.assessment import Assessment, CodeEvidence
from agentcheck.model.report import Skipped
from agentcheck.rule import Rule


class Told(Struct):
    """What rules said: by rule, with those that failed, and the texts that were read.

    `gathered` is what those took that conclude from all parts of the target at once, `missed` are
    the files of the target that they asked for and that were not linked.
    """

    said: list[tuple[str, Assessment]]
    failed: dict[str, Skipped]
    texts: tuple[str, ...] = ()
    gathered: list[tuple[str, bytes]] = []
    missed: frozenset[str] = frozenset()


def joined(told: Iterable[Told]) -> Told:
    """What several said, in their order."""
    whole = Told([], {})
    for one in told:
        whole.said += one.said
        whole.gathered += one.gathered
        whole.failed = {**one.failed, **whole.failed}
        whole.missed |= one.missed
        whole.texts = tuple(dict.fromkeys((*whole.texts, *one.texts)))
    return whole


def concluded(rule: Rule, told: Told) -> Iterator[Assessment]:
    """What a rule concludes from all that it gathered."""
    if rule.conclude is not None and rule.gathered is not None:
        taken = [data for name, data in told.gathered if name == rule.name]
        decoder = msgspec.msgpack.Decoder(rule.gathered)
        yield from rule.conclude([decoder.decode(data) for data in taken]) if taken else ()


def first_file(said: Assessment) -> str:
    """The file of the first evidence: no two parts of a target show the same."""
    first = next(iter(said.evidence), None)
    return first.file if isinstance(first, CodeEvidence) else ""
