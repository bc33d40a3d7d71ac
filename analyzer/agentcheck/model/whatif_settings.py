"""What the answers to "what if" are computed with; the user's `[what-if]` configuration."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Tier = Literal["small", "medium", "large"]
TIERS: tuple[Tier, ...] = ("small", "medium", "large")
Classify = Literal["all", "middle", "none"]
Search = Literal["words", "embeddings"]


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
    search: Search = "words"


class RoutingSettings(Struct, frozen=True, kw_only=True):
    """How calls are sorted into tiers, and the models that serve them.

    A reply of less than `small_below` tokens was one for the small tier, one of more than
    `large_above` tokens that shows reasoning one for the large, any other for the medium. Reasoning
    shows in at least `reasoning_words` words that connect arguments.

    Beforehand an ask of no more than `short_words` words that names no hard work is for the small
    tier. `models` names the model of each tier; without it nothing is priced. A router that asks
    the small model for the tier gives it `classify_input` tokens besides the ask and gets
    `classify_output`; `classify` says for which asks: all, those that are not plain, or none.
    `model` is taken for the one that a call does not name.
    """

    small_below: int = 200
    large_above: int = 1000
    reasoning_words: int = 5
    short_words: int = 50
    models: dict[Tier, str] = {}
    classify: Classify = "middle"
    classify_input: int = 200
    classify_output: int = 40
    model: str | None = None


class CacheSettings(Struct, frozen=True, kw_only=True):
    """How questions and answers are compared.

    `thresholds` are the similarities from which a stored answer would have been given, each tried
    by itself. Two answers are the same where their similarity is at least `same_answer` and they
    hold the same numbers and names with digits. `wrong_at_most` is the share of hits that may give
    another answer. `scope_keys` are the arguments of tools that name a user or a tenant. `search`
    says what is compared: words, or embeddings. `model` is taken for the one that a call does not
    name.
    """

    thresholds: tuple[float, ...] = (0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.95, 0.98, 1.0)
    same_answer: float = 0.8
    wrong_at_most: float = 0.05
    scope_keys: tuple[str, ...] = (
        "user_id",
        "customer_id",
        "member_id",
        "account_id",
        "tenant",
        "tenant_id",
        "org_id",
        "organization_id",
    )
    search: Search = "words"
    model: str | None = None


class WhatIfSettings(Struct, frozen=True, kw_only=True):
    """The settings of each question."""

    routing: RoutingSettings = RoutingSettings()
    compaction: CompactionSettings = CompactionSettings()
    cache: CacheSettings = CacheSettings()
