"""The text rules that come with the tool, as `constitution.toml` has them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from agentcheck.model.pattern import lazy_re
from agentcheck.whatif.policy.texts import TextRule

_BROKEN = lazy_re(r"\s*\n\s*")
_PART = lazy_re(r"<([a-z]+)>")


@cache
def constitution() -> tuple[TextRule, ...]:
    """All rules, in the order of the file."""
    text = files("agentcheck.whatif.policy").joinpath("constitution.toml").read_text("utf-8")
    data = tomllib.loads(text)
    parts = {name: _BROKEN.sub("", part) for name, part in data["parts"].items()}
    return tuple(_rule(row, parts) for row in data["rules"])


def _rule(row: dict[str, object], parts: Mapping[str, str]) -> TextRule:
    patterns = [_whole(pattern, parts) for pattern in msgspec.convert(row["patterns"], list[str])]
    return msgspec.convert({**row, "patterns": patterns}, TextRule)


def _whole(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern on one line, with the parts that it names, and those they name."""
    made = _BROKEN.sub("", pattern)
    while True:
        filled = _PART.sub(lambda m: parts.get(m[1], m[0]), made)
        if filled == made:
            return made
        made = filled
