"""Okapi BM25 over a history that grows: the next text is added, and the index needs no rebuild.

The formula is Lucene's, of Robertson and Zaragoza (The Probabilistic Relevance Framework, 2009,
section 3.2) with the usual k1 = 1.5 and b = 0.75, and an inverse document frequency that is never
negative. Libraries build their index over a finished set of texts: for a history that is searched
before each call they would build it anew each time, in quadratic time, and they bring numpy along.
"""

from __future__ import annotations

from collections import Counter
from math import log

from agentcheck.whatif.similar.words import words_of

K1, B = 1.5, 0.75


class Bm25:
    """Texts by number, in the order in which they are added."""

    def __init__(self) -> None:
        self._found_in: dict[str, dict[int, int]] = {}
        self._lengths: list[int] = []
        self._total = 0

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, text: str) -> None:
        """The next text."""
        words = words_of(text)
        number = len(self._lengths)
        for word, count in Counter(words).items():
            self._found_in.setdefault(word, {})[number] = count
        self._lengths.append(len(words))
        self._total += len(words)

    def scores(self, query: str) -> dict[int, float]:
        """How well each text answers a query; those without a word of it are left out."""
        scores: dict[int, float] = {}
        if not self._total:
            return scores
        mean = self._total / len(self._lengths)
        for word in set(words_of(query)):
            held = self._found_in.get(word, {})
            rare = log(1 + (len(self._lengths) - len(held) + 0.5) / (len(held) + 0.5))
            for number, count in held.items():
                long = K1 * (1 - B + B * self._lengths[number] / mean)
                scores[number] = scores.get(number, 0.0) + rare * count / (count + long)
        return scores
