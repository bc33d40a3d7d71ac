"""A semantic cache over recorded questions, as an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from agentcheck.model.event import Run
from agentcheck.model.runs import Open
from agentcheck.model.whatif import Answer, Cell, Column, Figure, Row, Table
from agentcheck.model.whatif_settings import CacheSettings
from agentcheck.trace.mask import excerpt
from agentcheck.whatif.cache.compare import ByMeaning, ByWords
from agentcheck.whatif.cache.questions import Asked, questions_of
from agentcheck.whatif.cache.simulate import Compares, Hit, at_most, play
from agentcheck.whatif.tally import Tally, share

MOST = 5_000
"""Questions that are kept; comparing them takes the square of their number."""
SHOWN = 20
_NO_PRICE = "the cost of some calls is not known"
_NOTES = (
    (
        "A question is what a person said, its answer the last words of the agent before the next "
        "question. A stored answer is given where the system prompt is the same and no question "
        "that was stored before is nearer. What is no hit is stored."
    ),
    (
        "Another answer is one with other numbers, dates or ids, or with too few words in common. "
        "Two ways to say the same thing may count as two answers; whether either is right is not "
        "asked."
    ),
    (
        "A hit depends on earlier turns where one of the two questions was not the first of its "
        "conversation. Where tools were called on the way, a stored answer leaves out what they "
        "did, and what they would have found."
    ),
)


class _At(NamedTuple):
    """What happened at a threshold."""

    threshold: float
    hits: list[Hit]

    @property
    def wrong(self) -> int:
        return sum(hit.wrong for hit in self.hits)

    @property
    def rate(self) -> float:
        return self.wrong / len(self.hits) if self.hits else 1.0

    @property
    def bound(self) -> float:
        return at_most(self.wrong, len(self.hits))


class Cache:
    """Takes in runs one by one; see `answer`. It keeps questions and answers, MOST of them.

    Raises UsageError where embeddings are asked for and not installed.
    """

    def __init__(self, settings: CacheSettings | None = None) -> None:
        self._settings = settings or CacheSettings()
        self._compare = _compare_of(self._settings)
        self._asked: list[Asked] = []
        self._questions = Tally()
        self._runs = self._more = 0

    def add(self, run: Run) -> None:
        """Take in one run."""
        self._runs += 1
        for asked in questions_of(run, self._settings):
            if len(self._asked) >= MOST:
                self._more += 1
                continue
            self._asked.append(asked)
            self._questions.add(asked.source)

    def answer(self) -> Answer:
        """Hits and wrong hits at each threshold, and the lowest threshold that is safe."""
        played = [
            _At(*pair) for pair in play(self._asked, self._settings, self._compare(self._asked))
        ]
        asked = self._questions.counted("questions", "question", "asked by a person and answered")
        first = Tally()
        for each in self._asked:
            if not each.turn:
                first.add(each.source)
        alone = first.counted("first questions", "question", "first of their conversation")
        return Answer(
            topic="cache",
            title="Semantic cache",
            question="Which questions would a cache have answered, and how often wrongly?",
            runs=self._runs,
            figures=(asked, alone, *self._safe(played)),
            tables=(self._table(played, asked), self._wrong(played)),
            settings=self._told(),
            notes=_NOTES,
            open=tuple(self._open(played)),
        )

    def _safe(self, played: Sequence[_At]) -> Iterator[Figure]:
        """The lowest thresholds from which on wrong answers keep within what may be."""
        most = self._settings.wrong_at_most
        for name, rate, how in (
            ("threshold by count", lambda at: at.rate, "counted"),
            ("threshold with 95 % confidence", lambda at: at.bound, "by Wilson's interval"),
        ):
            said = (
                f"the lowest from which on wrong hits are at most {100 * most:g} % of hits, {how}"
            )
            found = _lowest(played, rate, most)
            why = "" if found is not None else "at no threshold that was tried"
            if not any(at.hits for at in played):
                why = "no question was near enough to another"
            yield Figure(name, found, "ratio", "given", said, unknown=why)

    def _table(self, played: Sequence[_At], asked: Figure) -> Table:
        columns = (
            Column("threshold", "ratio"),
            Column("hits", "question"),
            Column("hit rate", "share"),
            Column("another answer", "question"),
            Column("of hits", "share"),
            Column("with 95 % at most", "share", "upper end of Wilson's interval, one-sided"),
            Column("across users", "question"),
            Column("users not told", "question"),
            Column("after other turns", "question"),
            Column("with tools", "question"),
            Column("calls saved", "call"),
            Column("cost saved", "usd"),
        )
        rows = tuple(Row((at.threshold, *_cells(at, asked))) for at in played)
        says = "Each threshold is tried by itself, from an empty cache on."
        return Table("Thresholds", columns, rows, says=says)

    def _wrong(self, played: Sequence[_At]) -> Table:
        columns = (
            Column("similarity", "ratio", "of the two questions"),
            Column("question"),
            Column("stored question"),
            Column("answer given"),
            Column("stored answer"),
        )
        hits = sorted({hit for at in played for hit in at.hits if hit.wrong}, key=_nearest_first)
        rows = tuple(_wrong_row(hit) for hit in hits[:SHOWN])
        says = "The nearest questions first, at any threshold."
        return Table("Hits with another answer", columns, rows, len(hits) - len(rows), says)

    def _told(self) -> dict[str, str | int | float]:
        return {
            "compared by": self._settings.search,
            "answers are the same from": self._settings.same_answer,
            "wrong hits may be": self._settings.wrong_at_most,
            "users by": ", ".join(self._settings.scope_keys),
        }

    def _open(self, played: Sequence[_At]) -> Iterator[Open]:
        if self._more:
            text = f"{self._more:,} further questions were not looked at: {MOST:,} are kept."
            yield Open("not-read", text)
        if not self._asked:
            yield Open("not-exercised", "No run records a question of a person with its answer.")
        elif not any(at.hits for at in played):
            yield Open("not-exercised", "No question was near enough to another for a hit.")
        blind = sum(each.scope is None for each in self._asked)
        if blind:
            total = len(self._asked)
            text = f"{blind:,} of {total:,} questions stand in runs that name no user or tenant."
            yield Open("not-carried", text)


def _cells(at: _At, asked: Figure) -> Iterator[Cell]:
    name = f"at {at.threshold:g}"
    counted = {
        "hits": _tally(at.hits),
        "another answer": _tally([hit for hit in at.hits if hit.wrong]),
        "across users": _tally([hit for hit in at.hits if hit.crosses]),
        "users not told": _tally([hit for hit in at.hits if hit.crosses is None]),
        "after other turns": _tally([hit for hit in at.hits if hit.depends]),
        "with tools": _tally([hit for hit in at.hits if hit.asked.tools]),
    }
    made = {
        what: t.counted(f"{name}: {what}", "question", _HOW[what]) for what, t in counted.items()
    }
    yield made["hits"]
    yield share(f"{name}: hit rate", made["hits"], asked, "hits of all questions")
    yield made["another answer"]
    yield share(f"{name}: wrong", made["another answer"], made["hits"], "wrong hits of all hits")
    yield at.bound if at.hits else None
    yield from (made[what] for what in list(made)[2:])
    calls, cost = Tally(), Tally()
    for hit in at.hits:
        calls.add(hit.asked.source, hit.asked.calls)
        cost.add(hit.asked.source, hit.asked.cost)
    yield calls.summed(f"{name}: calls saved", "call", "model calls that answered each hit")
    yield cost.summed(f"{name}: cost saved", "usd", "what these calls cost", _NO_PRICE)


_HOW = {
    "hits": "questions that a stored answer would have been given to",
    "another answer": "hits whose stored answer is another than the one given",
    "across users": "hits whose two runs name different users or tenants",
    "users not told": "hits of which one run names no user or tenant",
    "after other turns": "hits of which one question is not the first of its conversation",
    "with tools": "hits that were answered with calls of tools",
}


def _tally(hits: Sequence[Hit]) -> Tally:
    tally = Tally()
    for hit in hits:
        tally.add(hit.asked.source)
    return tally


def _lowest(played: Sequence[_At], rate: Callable[[_At], float], most: float) -> float | None:
    """The lowest threshold with hits at and above which every rate keeps within `most`."""
    found = None
    for at in reversed(played):
        if at.hits and rate(at) > most:
            break
        found = at.threshold if at.hits else found
    return found


def _nearest_first(hit: Hit) -> tuple[float, str, int, str]:
    source = hit.asked.source
    return -hit.similarity, source.file, source.run, str(source.record)


def _wrong_row(hit: Hit) -> Row:
    asked, stored = hit.asked, hit.stored
    texts = (excerpt(t, most=100) for t in (asked.text, stored.text, asked.answer, stored.answer))
    of = (asked.source, stored.source, asked.answered, stored.answered)
    return Row((hit.similarity, *texts), of)


def _compare_of(settings: CacheSettings) -> Callable[[Sequence[Asked]], Compares]:
    if settings.search == "embeddings":
        from agentcheck.whatif.similar.embeddings import require_model

        require_model()
        return ByMeaning
    return ByWords
