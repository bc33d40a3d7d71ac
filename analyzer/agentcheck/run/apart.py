"""Rules about code, asked in processes that share the graph which was linked in this one.

Rules of one family look for the same things and stay together, so that these are found once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import msgspec

from agentcheck.rule import Rule
from agentcheck.run.forked import forked
from agentcheck.run.told import Told

Ask = Callable[[Sequence[Rule]], Told]
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Told)


def ask_apart(rules: Sequence[Rule], ask: Ask, jobs: int) -> Iterator[Told]:
    """What `ask` says of each family of rules, in their order.

    A family whose process dies is asked in this one.
    """
    families = [list(group) for _, group in groupby(rules, key=lambda rule: rule.family)]
    with forked(lambda number: _ENCODER.encode(ask(families[number])), len(families), jobs) as told:
        for number, family in enumerate(families):
            yield _decoded(told(number)) or ask(family)


def _decoded(told: bytes | None) -> Told | None:
    return None if told is None else _DECODER.decode(told)
