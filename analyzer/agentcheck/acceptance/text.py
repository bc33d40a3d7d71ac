"""The acceptance sentence of a finding: a card's words with the names of the code in them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agentcheck.model.pattern import lazy_re

NEUTRAL = {
    "owner": "the function",
    "module": "the module",
    "runner": "the runner",
    "run": "the run method",
    "stream": "its streaming twin",
    "client_param": "the client",
    "agent_param": "the agent",
    "messages_param": "the messages",
    "limit_param": "the limit",
    "agent_class": "the agent class",
    "functions_field": "the list of tools",
}
FIELD = lazy_re(r"\{\{|\}\}|\{([^{}]*)\}")


def acceptance_text(card_text: str, names: Mapping[str, str]) -> str:
    """The text with each `{name}` replaced by what `names` says, or by neutral words.

    `{{` and `}}` stand for braces, as in `str.format`. Nothing is raised on any text: a field
    that is no name (`{0}`, `{a.b}`) gets the words for its first name, or "it".
    """
    return FIELD.sub(lambda field: _word(field, names), card_text)


def _word(field: re.Match[str], names: Mapping[str, str]) -> str:
    if field[1] is None:
        return field[0][0]
    name = re.match(r"\s*([A-Za-z_]\w*)", field[1])
    if name is None:
        return "it"
    value = " ".join(names.get(name[1], "").split())
    return value or NEUTRAL.get(name[1]) or "the " + name[1].replace("_", " ").strip()
