"""Plays a semantic cache over questions in their order, once for each threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import NamedTuple, Protocol

from agentcheck.model.pattern import lazy_re
from agentcheck.model.whatif_settings import CacheSettings
from agentcheck.whatif.cache.questions import Asked
from agentcheck.whatif.similar.words import words_of

_TOLD = lazy_re(r"\w*\d\w*")
_Z = 1.6448536269514722
"""The 95 % quantile of the normal distribution."""


class Hit(NamedTuple):
    """A question that the cache would have answered with the answer to another."""

    asked: Asked
    stored: Asked
    similarity: float
    wrong: bool

    @property
    def crosses(self) -> bool | None:
        """Whether the two belong to different users or tenants; None where that is not told."""
        if self.asked.scope is None or self.stored.scope is None:
            return None
        return self.asked.scope != self.stored.scope

    @property
    def depends(self) -> bool:
        """Whether one of the two was asked after other turns, on which its answer may rest."""
        return self.asked.turn > 0 or self.stored.turn > 0


class Compares(Protocol):
    """Finds near questions among those before, and says how near two answers are."""

    def near(self, number: int, least: float) -> list[tuple[int, float]]:
        """The questions before one that are at least so near, the nearest first."""

    def answers(self, one: int, other: int) -> float:
        """How near the answers to two questions are."""


def play(
    asked: Sequence[Asked], settings: CacheSettings, compares: Compares
) -> Iterator[tuple[float, list[Hit]]]:
    """The hits at each threshold. What is no hit is stored; only under the same system prompt is a
    stored answer given."""
    wrong = _judge(asked, settings, compares)
    least = min(settings.thresholds, default=1.0)
    stored: dict[float, set[int]] = {threshold: set() for threshold in settings.thresholds}
    hits: dict[float, list[Hit]] = {threshold: [] for threshold in settings.thresholds}
    for number, question in enumerate(asked):
        near = compares.near(number, least - _ROUNDING)
        fit = [(n, s) for n, s in near if asked[n].system == question.system]
        for threshold in settings.thresholds:
            found = _first(fit, stored[threshold], threshold)
            if found is None:
                stored[threshold].add(number)
                continue
            other, similarity = found
            hit = Hit(question, asked[other], similarity, wrong(number, other))
            hits[threshold].append(hit)
    yield from sorted(hits.items())


_ROUNDING = 1e-9


def _first(
    near: Sequence[tuple[int, float]], stored: set[int], threshold: float
) -> tuple[int, float] | None:
    for number, similarity in near:
        if similarity < threshold - _ROUNDING:
            return None
        if number in stored:
            return number, similarity
    return None


def _judge(
    asked: Sequence[Asked], settings: CacheSettings, compares: Compares
) -> Callable[[int, int], bool]:
    known: dict[tuple[int, int], bool] = {}

    def wrong(one: int, other: int) -> bool:
        if (one, other) not in known:
            given, stored = asked[one].answer, asked[other].answer
            known[one, other] = words_of(given) != words_of(stored) and (
                told_in(given) != told_in(stored)
                or compares.answers(one, other) < settings.same_answer
            )
        return known[one, other]

    return wrong


def told_in(answer: str) -> frozenset[str]:
    """The words of an answer that hold a digit: amounts, dates, ids."""
    return frozenset(_TOLD.findall(answer.lower()))


def at_most(wrong: int, hits: int) -> float:
    """The share of wrong hits that lies below with 95 % confidence, by Wilson's score interval.

    With few hits it is high, however many of them were right.
    """
    if not hits:
        return 1.0
    rate, square = wrong / hits, _Z * _Z / hits
    middle = rate + square / 2
    margin = _Z * sqrt(rate * (1 - rate) / hits + square / (4 * hits))
    return min((middle + margin) / (1 + square), 1.0)
