"""Cumulative token counts of Codex -> what each reply used."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers.fields import as_count, as_dict

_NAMES = {
    "input_tokens": "input_tokens",
    "cached_input_tokens": "cache_read",
    "output_tokens": "output_tokens",
}


class Spent:
    """The counts so far, `total_token_usage`, in which `cached_input_tokens` are part of input."""

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before: dict[str, int] = {}

    def grown(self, info: dict[str, Any]) -> dict[str, int]:
        """The growth since the last count; nothing where a count is repeated.

        A count that fell began anew; then `last_token_usage`, the use of one reply, is the growth.
        """
        total, last = _counts(info.get("total_token_usage")), _counts(info.get("last_token_usage"))
        if not total:
            return last
        before, self._before = self._before, total
        grown = {name: count - before.get(name, 0) for name, count in total.items()}
        if any(count < 0 for count in grown.values()):
            return last
        return grown if any(grown.values()) else {}


def _counts(usage: Any) -> dict[str, int]:
    found = {name: as_count(as_dict(usage).get(key)) for key, name in _NAMES.items()}
    return {name: count for name, count in found.items() if count is not None}
