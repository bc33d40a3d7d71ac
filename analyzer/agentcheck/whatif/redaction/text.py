"""Redacts JSON as it is written: only texts and whole numbers that change are written anew.

All else stays byte for byte: blanks, the order of keys, how numbers are written. A text that is
JSON itself, as the arguments of calls are, is redacted inside, so that it stays valid.
"""

from __future__ import annotations

import json
import re

from agentcheck.model.pattern import lazy_re
from agentcheck.trace.records import BROKEN, value_of
from agentcheck.whatif.redaction.redactor import Redactor

_TOKEN = lazy_re(r'("(?:[^"\\]|\\.)*")(\s*:)?|(?<![\w.+-])\d{7,19}(?![\w.+-])', re.DOTALL)
_DEEPEST = 6


def redacted(raw: str, redactor: Redactor, depth: int = 0) -> str:
    """JSON with placeholders for what a redactor takes out; what is no JSON as plain text."""
    if not _is_json(raw):
        return redactor.text(raw)
    parts: list[str] = []
    done, label = 0, ""
    for match in _TOKEN.finditer(raw):
        token, colon = match[1], match[2]
        made = _made(match[0], token, colon, label, redactor, depth)
        if made is not None:
            parts += raw[done : match.start()], made
            done = match.end()
        label = _decoded(token) if colon else ""
    return "".join((*parts, raw[done:])) if parts else raw


def _is_json(raw: str) -> bool:
    try:
        value_of(raw)
    except BROKEN:
        return False
    return True


def _made(
    whole: str, token: str | None, colon: str | None, label: str, redactor: Redactor, depth: int
) -> str | None:
    """What stands for a token; None where it stays as it is."""
    if token is None:
        made = redactor.digits(whole, label)
        return None if made == whole else made
    text = _decoded(token)
    changed = _inside(text, "" if colon else label, redactor, depth)
    return None if changed == text else _encoded(changed, token) + (colon or "")


def _inside(text: str, label: str, redactor: Redactor, depth: int) -> str:
    if depth < _DEEPEST and text.lstrip()[:1] in ("{", "[") and _is_json(text):
        return redacted(text, redactor, depth + 1)
    return redactor.text(text, label)


def _decoded(token: str) -> str:
    return str(json.loads(token, strict=False)) if "\\" in token else token[1:-1]


def _encoded(text: str, like: str) -> str:
    """A text as JSON, in ASCII where the token that it stands for was."""
    return json.dumps(text, ensure_ascii=like.isascii())
