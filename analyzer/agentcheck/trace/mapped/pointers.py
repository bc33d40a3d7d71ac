"""JSON pointers (RFC 6901): parsed once, followed often."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentcheck.model.pattern import lazy_re

Tokens = tuple[str, ...]
_INDEX = lazy_re(r"0|[1-9]\d{0,8}")
_ESCAPE = lazy_re(r"~(?![01])")


class Found(NamedTuple):
    """A value, and the pointer that led to it."""

    value: Any
    pointer: str


def parse(text: str) -> Tokens:
    """The steps of a pointer. Raises ValueError with what is wrong with it and how to mend it."""
    if text and not text.startswith("/"):
        slashed = text.removeprefix("$").replace(".", "/")
        told = slashed if slashed.startswith("/") else f"/{slashed}"
        raise ValueError(f'"{text}" is no JSON pointer; did you mean "{told}"?')
    if _ESCAPE.search(text):
        raise ValueError(f'"{text}" is no JSON pointer; write ~0 for ~ and ~1 for / in a key')
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])


def text_of_pointer(tokens: Tokens) -> str:
    """The pointer of some steps."""
    return "".join(f"/{token.replace('~', '~0').replace('/', '~1')}" for token in tokens)


def follow(value: Any, pointers: tuple[Tokens, ...]) -> Found | None:
    """Where the first of some pointers that leads to a value leads to, null only at a pinch."""
    empty: Found | None = None
    for tokens in pointers:
        there, found = _follow(value, tokens)
        if there and found is not None:
            return Found(found, text_of_pointer(tokens))
        if there and empty is None:
            empty = Found(None, text_of_pointer(tokens))
    return empty


def _follow(value: Any, tokens: Tokens) -> tuple[bool, Any]:
    for token in tokens:
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            return False, None
    return True, value
