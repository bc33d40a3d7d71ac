"""What a semantic cache in front of recorded agents would have answered."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


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
    search: Literal["words", "embeddings"] = "words"
    model: str | None = None
