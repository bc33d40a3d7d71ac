"""How near questions and answers are: by their words, or by a model of meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentcheck.whatif.cache.questions import Asked
from agentcheck.whatif.similar.tfidf import Nearest, cosine, vectors_of


class ByWords:
    """Questions by TF-IDF, answers by their words alone, each as a cosine. To be asked in order."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self._asked = asked
        self._vectors = vectors_of([each.text for each in asked])
        self._index = Nearest()
        self._added = 0

    def near(self, number: int, least: float) -> list[tuple[int, float]]:
        """The questions before one that are at least so near, the nearest first."""
        for vector in self._vectors[self._added : number]:
            self._index.add(vector)
        self._added = max(self._added, number)
        return self._index.near(self._vectors[number], least)

    def answers(self, one: int, other: int) -> float:
        """How near the answers to two questions are."""
        return cosine(self._asked[one].answer, self._asked[other].answer)


class ByMeaning:
    """Questions and answers by the cosine of their embeddings."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        from agentcheck.whatif.similar.embeddings import matrix_of

        self._questions = matrix_of([each.text for each in asked])
        self._answers: Any = matrix_of([each.answer for each in asked])

    def near(self, number: int, least: float) -> list[tuple[int, float]]:
        """The questions before one that are at least so near, the nearest first."""
        scores = self._questions[:number] @ self._questions[number]
        found = [(int(n), min(float(scores[n]), 1.0)) for n in (scores >= least).nonzero()[0]]
        return sorted(found, key=lambda pair: (-round(pair[1], 6), pair[0]))

    def answers(self, one: int, other: int) -> float:
        """How near the answers to two questions are."""
        return float(self._answers[one] @ self._answers[other])
