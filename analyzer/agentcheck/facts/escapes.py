"""Escape sequences of string literals, read as Python reads them."""

from __future__ import annotations

import re
import unicodedata

from agentcheck.model.pattern import lazy_re

_ESCAPE = lazy_re(
    r"\\(?:(?P<line>\r\n|\r|\n)|(?P<octal>[0-7]{1,3})|x(?P<x>[0-9a-fA-F]{2})"
    r"|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|N\{(?P<name>[^}]*)\}|(?P<one>.))",
    re.DOTALL,
)
_LINE_END = lazy_re(r"\r\n?")
_SURROGATE = lazy_re("[\ud800-\udfff]")
_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}


def literal(raw: str, *, escapes: bool) -> str:
    """The value of a literal's body; `escapes` is false for raw strings.

    An escape that means nothing stays as it is written.
    """
    if "\r" in raw:
        raw = _LINE_END.sub("\n", raw)
    if not escapes or "\\" not in raw:
        return raw
    return without_surrogates(_ESCAPE.sub(_unescape, raw))


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for every lone surrogate, which no UTF-8 can hold."""
    return _SURROGATE.sub("\ufffd", text)


def _unescape(match: re.Match[str]) -> str:
    kind, value = match.lastgroup, match[match.lastgroup or 0]
    if kind == "line":
        return ""
    if kind == "one":
        return _SIMPLE.get(value, match[0])
    if kind == "name":
        return _named(value, match[0])
    code = int(value, 8 if kind == "octal" else 16)
    return chr(code) if code <= 0x10FFFF else match[0]


def _named(name: str, written: str) -> str:
    try:
        return unicodedata.lookup(name)
    except KeyError:
        return written
