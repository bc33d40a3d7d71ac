"""What would be left of recorded conversations if they were made shorter before each model call."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class CompactionSettings(Struct, frozen=True, kw_only=True):
    """How conversations are made shorter.

    `keep_last` is how many messages are kept word for word, system messages aside. A summary is
    taken to have one token for ten that it stands for, `summary_tokens` at most, and is made by
    `summary_model`, by default the model of the call. `cached_from` is the number of tokens that a
    prefix needs for a provider to keep it in its cache. `model` is taken for the one that a call
    does not name. `search` says how older messages are found: by their words, or by embeddings.
    """

    keep_last: int = 10
    summary_tokens: int = 200
    summary_model: str | None = None
    cached_from: int = 1024
    model: str | None = None
    search: Literal["words", "embeddings"] = "words"
