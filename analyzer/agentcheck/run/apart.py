"""Rules about code, asked in this process and in others that share the graph it has linked.

Rules of one family look for the same things and stay together, so that these are found once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import msgspec

from agentcheck.rule import Rule
from agentcheck.run.forked import in_turns
from agentcheck.run.told import Told

Ask = Callable[[Sequence[Rule]], Told]
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Told)


def ask_apart(rules: Sequence[Rule], ask: Ask, jobs: int) -> Iterator[Told]:
    """What `ask` says of each family of rules, in their order.

    A family whose process dies is asked in this one.
    """
    families = [list(group) for _, group in groupby(rules, key=lambda rule: rule.family)]
    told = in_turns(lambda n: _ENCODER.encode(ask(families[n])), len(families), jobs)
    for family, data in zip(families, told, strict=True):
        yield ask(family) if data is None else _DECODER.decode(data)
