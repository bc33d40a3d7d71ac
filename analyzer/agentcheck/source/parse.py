"""Text to a LibCST tree, through the gate."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import libcst as cst

from agentcheck.source.errors import Unreadable

# Frames that walking one level of a tree may take, and the levels that the gate lets pass.
_RECURSION = 20_000

_UNKNOWN = "{} is Python that LibCST does not understand"


def parse(text: str) -> cst.Module:
    """The tree of a text that `gate.check` let pass. Raises Unreadable where LibCST cannot."""
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise Unreadable(_reason(error)) from None
    except cst.CSTValidationError:
        # LibCST 1.9 wants some blanks that Python does not: `[(a if b else c)for x in d]`.
        raise Unreadable(_UNKNOWN.format("it")) from None


@contextmanager
def room_to_recurse() -> Iterator[None]:
    """Deep recursion allowed while one tree is walked: the gate has bounded how deep.

    Raises Unreadable where the interpreter has a bound of its own that is lower.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        yield
    except RecursionError:
        raise Unreadable("nested too deeply for this Python to walk it") from None
    finally:
        sys.setrecursionlimit(limit)


def _reason(error: cst.ParserSyntaxError) -> str:
    # The message ends in "error at LINE:COLUMN: expected one of ..."; raw_line is always 1.
    _, _, place = error.message.partition("error at ")
    line = place.partition(":")[0]
    return _UNKNOWN.format(f"line {line}" if line.isdigit() else "it")
