"""Looks through long texts in one pass, for anything that deserves a closer look.

A screen is a pattern of Rust's regex crate, which takes about two nanoseconds a character whatever
the number of alternatives; it comes with pydantic, whose schemas name it ("rust-regex", documented
under `regex_engine`). It must find all that the closer look would find, and may find more. Without
it every text gets the closer look.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

Screen = Callable[[str], bool]


def screen(*patterns: str) -> Screen:
    """Whether a text may hold one of some patterns. False is certain."""
    union = "|".join(f"(?:{pattern})" for pattern in patterns)
    compiled: Screen | None = None

    def may_hold(text: str) -> bool:
        nonlocal compiled
        if compiled is None:
            compiled = _compiled(union)
        return compiled(text) or not (text.isascii() or _is_sound(text))

    return may_hold


def _is_sound(text: str) -> bool:
    """Whether a text is one for Rust: halves of surrogate pairs are none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@cache
def _compiled(pattern: str) -> Screen:
    try:
        from pydantic_core import SchemaError, SchemaValidator
    except ImportError:
        return _always
    try:
        schema = {"type": "str", "pattern": pattern, "regex_engine": "rust-regex", "strict": True}
        return SchemaValidator(schema).isinstance_python
    except SchemaError:
        return _always


def _always(_text: str) -> bool:
    return True
