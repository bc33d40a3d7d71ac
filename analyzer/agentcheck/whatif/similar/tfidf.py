"""The cosine of two texts by their words and pairs of words, each weighed by how rare it is.

Pairs tell "from Bern to Rome" from "from Rome to Bern", which have the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log, sqrt

from agentcheck.whatif.similar.words import words_of


def vectors_of(texts: Sequence[str]) -> list[dict[str, float]]:
    """Texts as vectors of unit length.

    A term weighs 1 + log of its count in the text, times 1 + log of all texts by those that hold
    it, both plus one: the smoothed weight of scikit-learn, by which no term weighs nothing.
    """
    counts = [Counter(_terms(text)) for text in texts]
    held = Counter(term for count in counts for term in count)
    rare = {term: 1 + log((len(texts) + 1) / (number + 1)) for term, number in held.items()}
    return [_unit({w: (1 + log(n)) * rare[w] for w, n in count.items()}) for count in counts]


def cosine(one: str, other: str) -> float:
    """The cosine of two texts by their words alone, from 0 to 1."""
    first, second = (_unit(Counter(words_of(text))) for text in (one, other))
    return sum(weight * second.get(word, 0.0) for word, weight in first.items())


def _terms(text: str) -> list[str]:
    words = words_of(text)
    return words + [f"{one} {other}" for one, other in pairwise(words)]


def _unit(weights: Mapping[str, float]) -> dict[str, float]:
    length = sqrt(sum(weight * weight for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()} if length else {}


class Nearest:
    """Vectors by number, in the order in which they are added."""

    def __init__(self) -> None:
        self._found_in: dict[str, list[tuple[int, float]]] = {}
        self._count = 0

    def add(self, vector: Mapping[str, float]) -> None:
        """The next vector."""
        for word, weight in vector.items():
            self._found_in.setdefault(word, []).append((self._count, weight))
        self._count += 1

    def near(self, vector: Mapping[str, float], least: float) -> list[tuple[int, float]]:
        """The vectors whose cosine with one is at least so much, the nearest first."""
        scores: dict[int, float] = {}
        for word, weight in vector.items():
            for number, other in self._found_in.get(word, ()):
                scores[number] = scores.get(number, 0.0) + weight * other
        found = ((number, min(score, 1.0)) for number, score in scores.items() if score >= least)
        return sorted(found, key=lambda pair: (-round(pair[1], 9), pair[0]))
