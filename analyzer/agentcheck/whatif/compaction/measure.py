"""One conversation under every strategy: what is kept, sent and paid, and what replies miss."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.model.event import Run, Source
from agentcheck.model.whatif_settings import CompactionSettings
from agentcheck.whatif.compaction.keep import STRATEGIES, History, Kept, Searches, Strategy
from agentcheck.whatif.compaction.lost import Index, Used, values_of
from agentcheck.whatif.compaction.spend import Asked, Sent, common_tokens, note_cache, tokens_of
from agentcheck.whatif.conversation import (
    Conversation,
    Reply,
    conversation_of,
    estimate,
    given_tokens,
    made_tokens,
)


class Outcome(Struct):
    """A conversation under a strategy, None for as it was.

    `messages` and `tokens` are what is kept of all of it. `sent` are the tokens of all requests,
    `read` those of them from the cache; it and `cost` are None where a price is not known. `lost`
    are the uses of values that nothing kept holds.
    """

    messages: int
    tokens: int
    sent: int
    read: int | None
    cost: float | None
    lost: list[Used]


class Measured(Struct):
    """A conversation under every strategy.

    `counted` says whether the usage of every reply was recorded, `longer` whether the conversation
    is longer than what is kept; `used` counts the uses of values that stand in it before;
    `places` are the records of its messages.
    """

    source: Source
    replies: int
    counted: bool
    longer: bool
    used: int
    places: tuple[Source, ...]
    outcomes: dict[Strategy | None, Outcome]


class _Row:
    """The requests of a run under one strategy, None for as they were, and what they would miss."""

    def __init__(self, strategy: Strategy | None, settings: CompactionSettings) -> None:
        self.strategy = strategy
        self._settings = settings
        self._summed = 0
        self._last: Asked | None = None
        self._sent: list[Sent] = []
        self._lost: list[Used] = []

    def add(self, talk: Conversation, reply: Reply, history: History, uses: Sequence[Used]) -> None:
        """The next request."""
        kept = self._kept(history)
        asked = _asked(talk, reply, history, kept)
        sent = _sent(talk, reply, history, asked)
        if self._last is not None:
            common = common_tokens(self._last, asked, history.sizes)
            note_cache(self._sent[-1], sent, common, self._settings.cached_from)
        if self.strategy == "summary" and kept.instead:
            self._summarise(sent, history, kept)
        self._sent.append(sent)
        self._last = asked
        if len(kept.messages) < reply.given:
            held = set(kept.messages)
            self._lost += (use for use in uses if held.isdisjoint(use.held_in))

    def _kept(self, history: History) -> Kept:
        if self.strategy is None:
            return Kept(list(range(len(history.messages))))
        return history.kept(self.strategy)

    def _summarise(self, sent: Sent, history: History, kept: Kept) -> None:
        """Pay for the summary: it is made of the last one and of what the window lost since."""
        before, gone = self._summed, history.total - history.tokens(kept.messages)
        if gone > before:
            self._summed = gone
            given = gone - before + (history.summary_of(before) if before else 0)
            model = self._settings.summary_model
            call = replace(sent.call, response_model=model) if model else sent.call
            sent.summary = (call, round(given * sent.scale), kept.instead)

    def outcome(self, history: History) -> Outcome:
        """What came of the whole run."""
        kept = self._kept(history)
        costs = [sent.cost for sent in self._sent]
        known = [cost for cost in costs if cost is not None]
        priced = len(known) == len(costs)
        return Outcome(
            messages=len(kept.messages) + bool(kept.instead),
            tokens=history.tokens(kept.messages) + kept.instead,
            sent=sum(sent.tokens + sent.summarising for sent in self._sent),
            read=sum(sent.read for sent in self._sent) if priced else None,
            cost=sum(known) if priced else None,
            lost=self._lost,
        )


def measure(run: Run, settings: CompactionSettings, search: Callable[[], Searches]) -> Measured:
    """A run under every strategy."""
    talk = conversation_of(run, settings.model)
    history = History(search(), settings.keep_last, settings.summary_tokens)
    rows = [_Row(strategy, settings) for strategy in (None, *STRATEGIES)]
    index, done, used = Index(), 0, 0
    for reply in talk.replies:
        new = talk.messages[done : reply.given]
        done = reply.given
        history.grow(new)
        for said in new:
            index.add(said.whole)
        uses = list(_uses(talk, reply, index))
        used += len(uses)
        for row in rows:
            row.add(talk, reply, history, uses)
    history.grow(talk.messages[done:])
    return Measured(
        source=run.events[0].source if run.events else Source(run.file, run.index, 0),
        replies=len(talk.replies),
        counted=bool(talk.replies) and all(given_tokens(talk, r)[1] for r in talk.replies),
        longer=len(history) > settings.keep_last,
        used=used,
        places=tuple(said.source for said in talk.messages),
        outcomes={row.strategy: row.outcome(history) for row in rows},
    )


def _uses(talk: Conversation, reply: Reply, index: Index) -> Iterator[Used]:
    """The values of a reply that stand in the messages before it, and not in what is static."""
    if reply.made is None:
        return
    fixed = f"{reply.static}\n{talk.tools}".lower()
    for source, what, value in values_of(talk.messages[reply.made]):
        held = index.holding(value) if value.lower() not in fixed else frozenset()
        if held and not any(talk.messages[at].is_static for at in held):
            yield Used(source, what, value, held)


def _asked(talk: Conversation, reply: Reply, history: History, kept: Kept) -> Asked:
    """The request that a strategy makes of a history."""
    static, messages = history.parted(kept.messages)
    return Asked(
        fixed=((talk.tools, estimate(talk.tools)), (reply.static, estimate(reply.static))),
        static=static,
        instead=(reply.given if kept.instead else 0, kept.instead),
        messages=messages,
    )


def _sent(talk: Conversation, reply: Reply, history: History, asked: Asked) -> Sent:
    """A request by the recorded usage of its reply, where there is any."""
    whole = sum(tokens for _, tokens in asked.fixed) + history.total
    scale = given_tokens(talk, reply)[0] / whole if whole else 1.0
    tokens = round(tokens_of(asked, history.sizes) * scale)
    return Sent(reply.call, tokens, made_tokens(talk, reply)[0], scale)
