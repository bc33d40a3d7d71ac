"""Rules about code, asked in this process and in others that share the graph it has linked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from agentcheck.rule import Rule
from agentcheck.run.forked import in_turns
from agentcheck.run.told import Told

Ask = Callable[[Sequence[Rule]], Told]
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Told)
# Families by what they look for: one process begins with the first and others with the last, so
# that what several look for, such as who asks a person, is mostly found by one process alone.
_FIRST = ("approval", "guards", "limits", "records")
_LAST = ("context", "tools", "replies")


def ask_apart(rules: Sequence[Rule], ask: Ask, jobs: int) -> Iterator[Told]:
    """What `ask` says of each rule, in their order.

    A rule whose process dies is asked in this one.
    """
    order = sorted(range(len(rules)), key=lambda number: _rank(rules[number].family))
    done = in_turns(lambda n: _ENCODER.encode(ask([rules[order[n]]])), len(rules), jobs)
    told = dict(zip(order, done, strict=True))
    for number, rule in enumerate(rules):
        data = told[number]
        yield ask([rule]) if data is None else _DECODER.decode(data)


def _rank(family: str) -> int:
    """The place of a family among those that are asked at the same time."""
    if family in _FIRST:
        return _FIRST.index(family)
    return len(_FIRST) + 1 + (_LAST.index(family) if family in _LAST else -1)
