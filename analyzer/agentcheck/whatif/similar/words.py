"""The words of a text, as comparisons take them."""

from __future__ import annotations

from agentcheck.model.pattern import lazy_re

_WORD = lazy_re(r"\w+")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, numbers among them."""
    return _WORD.findall(text.lower())
