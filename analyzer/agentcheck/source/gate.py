"""The cheap gate in front of LibCST's native parser, which no exception can stop.

Measured with LibCST 1.9 on CPython 3.11, each case in a process of its own: with a stack of 8 MiB
it dies between 1,000 and 2,000 nested parentheses and between 2,000 and 4,000 nested lambdas; with
a stack of 1 MiB (a main thread on Windows, any other thread on macOS) between 100 and 200
parentheses and between 200 and 400 links of a call chain. CPython 3.12.1 walks no tree of more
than 800 levels. Chains cost quadratic time: 1,000 links 2.6 s, 10,000 over 40 s. Memory is about
4 KiB per node of CPython's tree, time up to 60 us. In 1,090 files of nine agent repositories the
deepest tree has 30 levels, the largest 40,000 nodes.
"""

from __future__ import annotations

import ast
import sys
import warnings
from typing import Literal, NamedTuple

from agentcheck.source.errors import Unreadable
from agentcheck.source.lexical import crowd_of, wraps_deeply
from agentcheck.source.shape import shape_of

MAX_BYTES = 2_000_000
MAX_LINES = 200_000
MAX_NODES = 250_000
MAX_DEPTH = 500
MAX_BRACKETS = 200  # as CPython's own tokenizer
MAX_TOKENS = 3_000  # of one statement that CPython could not parse

PLAIN_DEPTH = 100

# CPython from this version on knows all syntax that LibCST knows: its refusal is final.
_NEWEST_SYNTAX = (3, 14)

Risk = Literal["plain", "risky"]


class Passage(NamedTuple):
    """Where a text may be parsed: "plain" anywhere, "risky" only in a disposable process.

    `complaint` is why this interpreter refuses it, where a newer one might not; else `tree` is what
    CPython made of it.
    """

    risk: Risk
    complaint: str | None = None
    tree: ast.Module | None = None


def check(text: str, lines: int) -> Passage:
    """Whether and where a text may go to LibCST.

    Raises Unreadable for what must not go there, and for what is not Python.
    """
    _bound_size(text, lines)
    try:
        tree = _parse(text)
    except SyntaxError as error:
        return _unknown_syntax(text, error)
    except (RecursionError, MemoryError):
        raise Unreadable(_too_deep("nested too deeply for Python's own parser")) from None
    except (ValueError, OverflowError, SystemError) as error:
        raise Unreadable(f"not valid Python: {error}") from None
    return _by_shape(text, tree)


def too_large(size: int, limit: int = MAX_BYTES) -> str:
    """The reason to give for a file of that many bytes."""
    return f"{size:,} bytes, more than the {limit:,} that are read of one file"


def _bound_size(text: str, lines: int) -> None:
    if len(text) > MAX_BYTES:
        raise Unreadable(too_large(len(text)))
    if lines > MAX_LINES:
        raise Unreadable(f"{lines:,} lines, more than the {MAX_LINES:,} that are read of one file")


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _by_shape(text: str, tree: ast.Module) -> Passage:
    shape = shape_of(tree, enough=PLAIN_DEPTH, size=len(text))
    if shape.nodes > MAX_NODES:
        raise Unreadable(
            f"{shape.nodes:,} syntax nodes, more than the {MAX_NODES:,} that are read of one file"
        )
    if shape.depth > MAX_DEPTH:
        raise Unreadable(_too_deep(f"an expression or chain of {shape.depth:,} levels"))
    tame = shape.depth <= PLAIN_DEPTH and not wraps_deeply(text)
    return Passage("plain" if tame else "risky", tree=tree)


def _unknown_syntax(text: str, error: SyntaxError) -> Passage:
    """Syntax newer than this interpreter is for LibCST to judge, if the text is tame enough."""
    reason = f"line {error.lineno or 1} is not valid Python: {error.msg}"
    if sys.version_info >= _NEWEST_SYNTAX or isinstance(error, IndentationError):
        raise Unreadable(reason)
    crowd = crowd_of(text)
    if crowd.brackets > MAX_BRACKETS or crowd.tokens > MAX_TOKENS or crowd.branches > MAX_DEPTH:
        raise Unreadable(reason)
    tame = max(crowd.brackets * 2, crowd.branches, crowd.tokens // 3) <= PLAIN_DEPTH
    return Passage("plain" if tame else "risky", reason)


def _too_deep(what: str) -> str:
    return f"{what}, more than can be parsed safely"
