"""How near texts are in meaning, by the static word vectors that the package wordllama ships.

Its weights and its tokenizer are read as files; nothing of the package is run and nothing is
fetched. A text is the mean of the vectors of its tokens, at unit length, as the package has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agentcheck.model.errors import UsageError

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_MOST = 8_000
"""Characters of a text that are looked at."""


class Embedded:
    """Texts by number, in the order in which they are added, each as a vector.

    Raises UsageError where the extra `embeddings` is not installed.
    """

    def __init__(self) -> None:
        self._model = _model()
        self._rows: list[Any] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, text: str) -> None:
        """The next text."""
        self._rows.append(self._model.vector(text))

    def scores(self, query: str) -> dict[int, float]:
        """The cosine of each text and a query, from -1 to 1; those that are near in nothing are
        left out."""
        vector = self._model.vector(query)
        near = ((number, float(row @ vector)) for number, row in enumerate(self._rows))
        return {number: score for number, score in near if score > 0}


class _Model:
    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        weights = load_file(folder / _WEIGHTS)
        self._vectors = next(iter(weights.values())).astype("float32")

    def vector(self, text: str) -> Any:
        """A text as a vector of unit length, of zeros where it holds no token."""
        ids = self._tokenizer.encode(text[:_MOST], add_special_tokens=False).ids
        mean = self._vectors[ids].mean(axis=0) if ids else self._vectors[0] * 0
        length = float((mean @ mean) ** 0.5)
        return mean / length if length else mean


def matrix_of(texts: Sequence[str]) -> Any:
    """Texts as the rows of a matrix, each of unit length. Raises UsageError as `Embedded` does."""
    import numpy as np

    model = _model()
    return np.stack([model.vector(text) for text in texts]) if texts else np.zeros((0, 1))


def require_model() -> None:
    """Raise UsageError where the extra `embeddings` is not installed."""
    _model()


@cache
def _model() -> _Model:
    lacking = "embeddings need more packages: install agentcheck-audit[embeddings]"
    found = find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise UsageError(lacking)
    folder = Path(found.submodule_search_locations[0])
    if not (folder / _WEIGHTS).is_file() or not (folder / _TOKENIZER).is_file():
        raise UsageError("embeddings: this release of wordllama ships no model; install another")
    try:
        return _Model(folder)
    except ImportError:
        raise UsageError(lacking) from None
