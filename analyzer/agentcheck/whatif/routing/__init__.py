"""What recorded model calls would have cost if each had gone to the cheapest model that does."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Tier = Literal["small", "medium", "large"]
TIERS: tuple[Tier, ...] = ("small", "medium", "large")
Classify = Literal["all", "middle", "none"]


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
