"""Recorded conversations under the five strategies, as an answer."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest
from typing import NamedTuple

from agentcheck.model.event import Run, Source
from agentcheck.model.runs import Open
from agentcheck.model.whatif import Answer, Cell, Column, Figure, Row, Table
from agentcheck.model.whatif_settings import CompactionSettings
from agentcheck.trace.prices import prices_dated
from agentcheck.whatif.compaction.keep import STRATEGIES, Searches, Strategy
from agentcheck.whatif.compaction.lost import Used
from agentcheck.whatif.compaction.measure import Measured, Outcome, measure
from agentcheck.whatif.conversation import CHARS
from agentcheck.whatif.tally import Tally, share

SHOWN, LOST = 20, 40
"""Conversations and lost values that are shown."""
NONE = "as it was"
_NO_PRICE = "the model of some calls, or its price, is not known"
_NOTES = (
    (
        f"The messages of a conversation are counted by an estimate, one token for {CHARS} "
        "characters. What was sent over a run is counted by the usage that the record has; each "
        "strategy sends the estimated part of it. Without usage it is the estimate."
    ),
    (
        "From the cache comes what a request has in common with the beginning of the one before, "
        "at the cache's price, where the model has one: without compaction that is all of the "
        "request before. A strategy that drops messages breaks this prefix."
    ),
    (
        "A value is lost where an argument or an answer used it, only messages before it hold it, "
        "and the strategy had dropped each of these. Under a summary it is lost unless the summary "
        "repeated it, which cannot be told without a model."
    ),
)


class _Sums:
    """One strategy over all runs."""

    def __init__(self) -> None:
        self.messages, self.tokens, self.sent, self.read = Tally(), Tally(), Tally(), Tally()
        self.cost, self.arguments, self.answers, self.lost = Tally(), Tally(), Tally(), Tally()

    def add(self, source: Source, outcome: Outcome) -> None:
        self.messages.add(source, outcome.messages)
        self.tokens.add(source, outcome.tokens)
        self.sent.add(source, outcome.sent)
        self.read.add(source, outcome.read)
        self.cost.add(source, outcome.cost)
        for use in outcome.lost:
            (self.answers if use.is_answer else self.arguments).add(use.source)
            self.lost.add(use.source)


class _Lost(NamedTuple):
    use: Used
    by: list[str]
    held_in: tuple[Source, ...]


class Compaction:
    """Takes in runs one by one; see `answer`.

    Raises UsageError where embeddings are asked for and not installed.
    """

    def __init__(self, settings: CompactionSettings | None = None) -> None:
        self._settings = settings or CompactionSettings()
        self._search = _search_of(self._settings)
        self._sums: dict[Strategy | None, _Sums] = {s: _Sums() for s in (None, *STRATEGIES)}
        self._runs, self._longer, self._counted, self._used = Tally(), Tally(), Tally(), Tally()
        self._longest: list[Measured] = []
        self._lost: list[_Lost] = []
        self._more = self._blind = 0

    def add(self, run: Run) -> None:
        """Take in one run."""
        measured = measure(run, self._settings, self._search)
        source = measured.source
        self._runs.add(source)
        self._blind += not measured.replies
        if measured.longer:
            self._longer.add(source)
        if measured.counted:
            self._counted.add(source)
        self._used.add(source, measured.used)
        for strategy, outcome in measured.outcomes.items():
            self._sums[strategy].add(source, outcome)
        self._note_lost(measured)
        self._longest = nlargest(SHOWN, [*self._longest, measured], key=_length)

    def _note_lost(self, measured: Measured) -> None:
        lost: dict[tuple[Source, str, str], _Lost] = {}
        for strategy in STRATEGIES:
            for use in measured.outcomes[strategy].lost:
                held = tuple(measured.places[at] for at in sorted(use.held_in))
                lost.setdefault(use.key, _Lost(use, [], held)).by.append(strategy)
        room = LOST - len(self._lost)
        self._lost += list(lost.values())[:room]
        self._more += max(len(lost) - room, 0)

    def answer(self) -> Answer:
        """What the strategies keep, send, cost and lose."""
        runs = self._runs.counted("conversations", "conversation", "recorded runs")
        longer = self._longer.counted("longer", "conversation", "longer than what is kept")
        counted = self._counted.counted(
            "counted", "conversation", "those with recorded usage for every reply"
        )
        used = self._used.summed(
            "values used", "use", "values of arguments and answers that messages before them hold"
        )
        return Answer(
            topic="compaction",
            title="Compaction",
            question="What would be left of the conversations if they were made shorter?",
            runs=self._runs.count,
            figures=(runs, longer, counted, used),
            tables=(self._table(used), self._conversations(), self._values()),
            settings=self._told(),
            notes=_NOTES,
            open=tuple(self._open()),
        )

    def _table(self, used: Figure) -> Table:
        columns = (
            Column("strategy"),
            Column("messages kept", "message"),
            Column("tokens kept", "token"),
            Column("ratio", "share"),
            Column("tokens sent", "token"),
            Column("from the cache", "token"),
            Column("cost", "usd"),
            Column("lost in arguments", "use"),
            Column("in answers", "use"),
            Column("values lost", "use"),
            Column("of all used", "share"),
        )
        whole = self._sums[None].tokens.summed(f"{NONE}: tokens kept", "token", "all messages")
        rows = tuple(
            Row((strategy or NONE, *self._cells(strategy, whole, used))) for strategy in self._sums
        )
        return Table("Strategies", columns, rows, says="All conversations at their end, and runs.")

    def _cells(self, strategy: Strategy | None, whole: Figure, used: Figure) -> Iterator[Cell]:
        sums, name = self._sums[strategy], strategy or NONE
        kept = "messages of each conversation at its end"
        tokens = sums.tokens.summed(f"{name}: tokens kept", "token", f"tokens of {kept}")
        yield sums.messages.summed(f"{name}: messages kept", "message", kept)
        yield tokens
        yield share(f"{name}: ratio", tokens, whole, "tokens kept of all tokens")
        yield sums.sent.summed(f"{name}: tokens sent", "token", "tokens of all requests of a run")
        yield sums.read.summed(
            f"{name}: from the cache", "token", "those of them from the cache", _NO_PRICE
        )
        yield sums.cost.summed(f"{name}: cost", "usd", "all requests and replies", _NO_PRICE)
        if strategy is None:
            yield from (None, None, None, None)
            return
        yield sums.arguments.counted(f"{name}: in arguments", "use", "values that calls used")
        yield sums.answers.counted(f"{name}: in answers", "use", "values that answers used")
        lost = sums.lost.counted(f"{name}: values lost", "use", "in arguments and answers")
        yield lost
        yield share(f"{name}: share lost", lost, used, "values lost of all values used")

    def _conversations(self) -> Table:
        columns = (
            Column("messages", "message", "all messages of the run"),
            Column("tokens", "token", "their tokens, estimated"),
            *(Column(s, "share", "tokens kept of all tokens") for s in STRATEGIES),
        )
        rows = tuple(
            Row(
                (
                    each.outcomes[None].messages,
                    each.outcomes[None].tokens,
                    *(each.outcomes[s].tokens / max(_length(each), 1) for s in STRATEGIES),
                ),
                (each.source,),
            )
            for each in self._longest
        )
        return Table("Longest conversations", columns, rows, self._runs.count - len(rows))

    def _values(self) -> Table:
        columns = (Column("value"), Column("used by"), Column("lost under"))
        rows = tuple(
            Row(
                (
                    each.use.value,
                    each.use.what,
                    ", ".join(each.by),
                ),
                (each.use.source, *each.held_in),
            )
            for each in self._lost
        )
        says = "Each with the record that used it, then the records that hold it."
        return Table("Lost values", columns, rows, self._more, says)

    def _told(self) -> dict[str, str | int | float]:
        told: dict[str, str | int | float] = {
            "last messages kept": self._settings.keep_last,
            "tokens of a summary at most": self._settings.summary_tokens,
            "cached from tokens": self._settings.cached_from,
            "search by": self._settings.search,
            "prices": prices_dated(),
        }
        if self._settings.model:
            told["model where none is named"] = self._settings.model
        if self._settings.summary_model:
            told["model of summaries"] = self._settings.summary_model
        return told

    def _open(self) -> Iterator[Open]:
        total, unpriced = self._runs.count, self._sums[None].cost.unknown
        rest = total - self._counted.count - self._blind
        told = {
            ("No model call is recorded", "what they sent is not known"): self._blind,
            ("Usage is not recorded", "tokens are estimates"): rest,
            ("The cost is not known", _NO_PRICE): unpriced,
        }
        for (text, so), count in told.items():
            if count:
                yield Open("not-carried", f"{text} of {count:,} of {total:,} runs: {so}.")


def _length(measured: Measured) -> int:
    return measured.outcomes[None].tokens


def _search_of(settings: CompactionSettings) -> type[Searches]:
    if settings.search == "embeddings":
        from agentcheck.whatif.similar.embeddings import Embedded, require_model

        require_model()
        return Embedded
    from agentcheck.whatif.similar.bm25 import Bm25

    return Bm25
