"""`[what-if]`: what the answers about recorded runs are computed with."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agentcheck.config.keys import Positive, Share, Table, says
from agentcheck.model.whatif_settings import (
    CacheSettings,
    Classify,
    CompactionSettings,
    RoutingSettings,
    Search,
    WhatIfSettings,
)

_CACHE, _COMPACTION, _ROUTING = CacheSettings(), CompactionSettings(), RoutingSettings()


class ModelsTable(Table):
    """The models of the tiers, by their names in genai-prices."""

    small: str | None = says("The model for short answers.")
    medium: str | None = says("The model for all between.")
    large: str | None = says("The model for long answers that reason.")


class RoutingTable(Table):
    """How model calls are sorted into tiers, and the models that serve them."""

    models: ModelsTable = says(
        "The models of the tiers, by their names in genai-prices.", ModelsTable()
    )
    small_below: Positive = says("Tokens below which a reply is short.", _ROUTING.small_below)
    large_above: Positive = says("Tokens above which a reply is long.", _ROUTING.large_above)
    reasoning_words: Positive = says(
        "The words that connect arguments from which on a long reply reasons.",
        _ROUTING.reasoning_words,
    )
    short_words: Positive = says("The words that a short ask has at most.", _ROUTING.short_words)
    classify: Classify = says(
        "The asks for which the small model is asked for the tier: middle are those whose tier "
        "their words do not tell.",
        _ROUTING.classify,
    )
    classify_input: Positive = says(
        "The tokens of such a question besides the ask.", _ROUTING.classify_input
    )
    classify_output: Positive = says("The tokens of its answer.", _ROUTING.classify_output)


class CompactionTable(Table):
    """How conversations are made shorter."""

    keep_last: Positive = says("The messages that stay word for word.", _COMPACTION.keep_last)
    summary_tokens: Positive = says(
        "The tokens of a summary at most; it has one for ten that it stands for.",
        _COMPACTION.summary_tokens,
    )
    summary_model: str | None = says("The model of summaries; left out, that of the call.")
    cached_from: Positive = says(
        "The tokens from which on a provider keeps a prefix in its cache.", _COMPACTION.cached_from
    )


class CacheTable(Table):
    """How questions and answers are compared."""

    thresholds: Annotated[tuple[Share, ...], Field(min_length=1, max_length=50)] = says(
        "The similarities that are tried.", _CACHE.thresholds
    )
    same_answer: Share = says(
        "The similarity from which on two answers are the same.", _CACHE.same_answer
    )
    wrong_at_most: Share = says(
        "The share of hits that may give another answer.", _CACHE.wrong_at_most
    )
    scope_keys: tuple[str, ...] = says(
        "The arguments of tools that name a user or a tenant.", _CACHE.scope_keys
    )


class WhatIfTable(Table):
    """What `agentcheck what-if` computes with."""

    model: str | None = says("The model of calls that name none.")
    search: Search = says(
        "What is compared: words, or embeddings of the extra of that name.", _CACHE.search
    )
    routing: RoutingTable = says(RoutingTable.__doc__ or "", RoutingTable())
    compaction: CompactionTable = says(CompactionTable.__doc__ or "", CompactionTable())
    cache: CacheTable = says(CacheTable.__doc__ or "", CacheTable())

    def settings(self) -> WhatIfSettings:
        """The table as settings."""
        routing = self.routing.model_dump()
        models = {tier: name for tier, name in routing.pop("models").items() if name}
        found: dict[str, Any] = {"model": self.model, "search": self.search}
        return WhatIfSettings(
            routing=RoutingSettings(models=models, model=self.model, **routing),
            compaction=CompactionSettings(**found, **self.compaction.model_dump()),
            cache=CacheSettings(**found, **self.cache.model_dump()),
        )


WHAT_IF: dict[str, type[Table]] = {
    "what-if": WhatIfTable,
    "what-if.routing": RoutingTable,
    "what-if.routing.models": ModelsTable,
    "what-if.compaction": CompactionTable,
    "what-if.cache": CacheTable,
}
"""The tables, by their paths."""
