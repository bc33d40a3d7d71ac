"""What a conversation sends over its run, and what of it the provider has in its cache.

A provider serves from its cache the beginning of a request that is, token for token, that of the
request before it. So the system prompt and the tools come from the cache under every strategy, and
all of the last request does where nothing was dropped since. A prefix is written into the cache
where the next request begins with it, which is what a well-placed cache point comes to.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from agentcheck.model.event import ModelCall
from agentcheck.trace.prices import is_cached, would_cost


class Sent(Struct, gc=False):
    """A request: its pieces in order, each with what makes it the same and its tokens.

    `scale` is how many tokens are counted for one that is estimated; `made` the tokens of the
    reply. `summary` is the call that makes a summary for it, with the tokens given and made.
    """

    call: ModelCall
    pieces: list[tuple[object, int]]
    scale: float
    made: int
    summary: tuple[ModelCall, int, int] | None = None
    read: int = 0
    written: int = 0

    @property
    def tokens(self) -> int:
        """The tokens of the request."""
        return round(sum(tokens for _, tokens in self.pieces) * self.scale)

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


def with_cache(row: Sequence[Sent], cached_from: int) -> None:
    """Note what each request of a run reads from the cache, and what it writes into it."""
    for before, now in pairwise(row):
        if not is_cached(now.call):
            continue
        common = 0
        for one, other in zip(before.pieces, now.pieces, strict=False):
            if one != other:
                break
            common += one[1]
        now.read = min(round(common * now.scale), now.tokens)
        if now.read < cached_from:
            now.read = 0
            continue
        before.written = min(max(round(common * before.scale) - before.read, 0), before.tokens)
