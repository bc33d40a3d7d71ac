"""Names that CPython's tree has in another form than the text: `ﬁle` is `file` there."""

from __future__ import annotations

import io
import token
import tokenize
import unicodedata
from collections.abc import Collection

from agentcheck.model.pattern import lazy_re

# A replacement field of an f-string that is plain to see: nothing is nested in it.
_FIELD = lazy_re(r"\{[^{}'\"\\]*\}")
_FORMATTED = lazy_re(r"[A-Za-z]*[fFtT][A-Za-z]*['\"]")
# Tokens that no name is in; since Python 3.12 the literal parts of f-strings are some of their own.
_NAMELESS = frozenset(
    getattr(token, name)
    for name in ("COMMENT", "FSTRING_MIDDLE", "TSTRING_MIDDLE")
    if hasattr(token, name)
)


def has_odd_names(text: str) -> bool:
    """Whether a text that is valid Python may hold such a name; in a comment it is none."""
    odd = () if text.isascii() else frozenset(char for char in set(text) if _is_odd(char))
    return bool(odd) and _in_names(text, odd)


def _is_odd(char: str) -> bool:
    if char.isascii() or not f"a{char}".isidentifier():
        return False
    return unicodedata.normalize("NFKC", char) != char or unicodedata.combining(char) != 0


def _in_names(text: str, odd: Collection[str]) -> bool:
    try:
        for found in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            shown = found.string
            if found.type in _NAMELESS or shown.isascii():
                continue
            if found.type == token.STRING:
                shown = _names_of(shown)
            if any(char in odd for char in shown):
                return True
    except (tokenize.TokenError, SyntaxError):
        return True
    return False


def _names_of(literal: str) -> str:
    """The part of a literal that names may be in: the fields of an f-string."""
    if not _FORMATTED.match(literal):
        return ""
    bare = literal.replace("{{", "").replace("}}", "")
    nested = set("{}") & set(_FIELD.sub("", bare))
    return literal if nested else " ".join(_FIELD.findall(bare))
