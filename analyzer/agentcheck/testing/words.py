"""The words of texts and names."""

from __future__ import annotations

import re


def words_of(text: str) -> set[str]:
    """The words of a text in lower case, those of CamelCase and snake_case names apart."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text)}
