"""What a conversation sends over its run, and what of it the provider has in its cache.

A provider serves from its cache the beginning of a request that is, token for token, that of the
request before it. So the system prompt and the tools come from the cache under every strategy, and
all of the last request does where nothing was dropped since. A prefix is written into the cache
where the next request begins with it, which is what a well-placed cache point comes to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from agentcheck.model.event import ModelCall
from agentcheck.trace.prices import is_cached, would_cost


class Asked(NamedTuple):
    """A request in its order, all tokens estimated: tools and system prompt, the system's messages,
    what stands for what was left out, the other messages by index."""

    fixed: tuple[tuple[str, int], ...]
    static: list[int]
    instead: tuple[int, int]
    messages: list[int]


class Sent(Struct, gc=False):
    """The tokens of a request and its reply, and of the request those the cache gave and took.

    `scale` is how many tokens are counted for one that is estimated. `summary` is the call that
    makes a summary for it, with the tokens given and made.
    """

    call: ModelCall
    tokens: int
    made: int
    scale: float
    summary: tuple[ModelCall, int, int] | None = None
    read: int = 0
    written: int = 0

    @property
    def summarising(self) -> int:
        """The tokens that a summary takes, given and made."""
        return sum(self.summary[1:]) if self.summary is not None else 0

    @property
    def cost(self) -> float | None:
        """What the request, its reply and its summary cost in US dollars."""
        costs = [would_cost(self.call, self.tokens, self.made, self.read, self.written)]
        if self.summary is not None:
            costs.append(would_cost(*self.summary))
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None


def note_cache(before: Sent, now: Sent, common: int, cached_from: int) -> None:
    """Note what a request reads from the cache, and what the one before wrote there for it.

    `common` are the tokens of their common beginning, estimated.
    """
    read = min(round(common * now.scale), now.tokens)
    if read >= cached_from and is_cached(now.call):
        now.read = read
        before.written = min(max(round(common * before.scale) - before.read, 0), before.tokens)


def common_tokens(before: Asked, now: Asked, sizes: Sequence[int]) -> int:
    """The tokens of the beginning that two requests have in common; `sizes` are the messages'."""
    common = 0
    for one, other in zip(before.fixed, now.fixed, strict=True):
        if one != other:
            return common
        common += one[1]
    shared = _shared(before.static, now.static)
    common += _sum(now.static[:shared], sizes)
    if shared < max(len(before.static), len(now.static)) or before.instead != now.instead:
        return common
    shared = _shared(before.messages, now.messages)
    return common + now.instead[1] + _sum(now.messages[:shared], sizes)


def tokens_of(asked: Asked, sizes: Sequence[int]) -> int:
    """The tokens of a request, estimated."""
    fixed = sum(tokens for _, tokens in asked.fixed)
    return fixed + asked.instead[1] + _sum(asked.static, sizes) + _sum(asked.messages, sizes)


def _shared(one: list[int], other: list[int]) -> int:
    """How many items two lists begin with alike."""
    least = min(len(one), len(other))
    if one[:least] == other[:least]:
        return least
    return next(at for at in range(least) if one[at] != other[at])


def _sum(messages: Iterable[int], sizes: Sequence[int]) -> int:
    return sum(map(sizes.__getitem__, messages))
