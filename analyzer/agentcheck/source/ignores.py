"""Ignore comments: `# agentcheck: ignore[rule-a, AC101] reason expires=2027-01-31`."""

from __future__ import annotations

import datetime as dt
import io
import tokenize
from collections.abc import Iterator, Sequence

from agentcheck.model.facts import Ignore
from agentcheck.model.location import Span
from agentcheck.model.pattern import lazy_re

_MARK = "agentcheck:"
_COMMENT = lazy_re(
    r"#\s*agentcheck:\s*ignore(?![^\s\[:])(?:\s*\[(?P<rules>[^\]]*)\])?(?P<rest>.*)$"
)
_NEXT_COMMENT = lazy_re(r"\s#(?:\s|[^\W\d]).*$")
_EXPIRES = lazy_re(r"(?:^|\s)expires=(\d{4}-\d{2}-\d{2})(?!\S)")


def ignores_of(lines: Sequence[str]) -> tuple[Ignore, ...]:
    """The ignore comments of a file, in order; what looks like one inside a string is none.

    A date that does not exist is no date: `expires` is None and the words stay in the reason.
    """
    if _MARK not in "".join(lines):
        return ()
    found = (_read(row, column, comment) for row, column, comment in _comments(lines))
    return tuple(ignore for ignore in found if ignore is not None)


def _comments(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Row, 0-based column and text of every comment, as far as the tokenizer gets."""
    source = io.StringIO("".join(f"{line}\n" for line in lines), newline="\n")
    try:
        for token in tokenize.generate_tokens(source.readline):
            if token.type == tokenize.COMMENT:
                yield (*token.start, token.string)
    except (tokenize.TokenError, SyntaxError):
        return


def _read(row: int, column: int, comment: str) -> Ignore | None:
    match = _COMMENT.search(comment)
    if match is None:
        return None
    reason, expires = _split(_NEXT_COMMENT.sub("", match["rest"]))
    rules = tuple(rule for part in (match["rules"] or "").split(",") if (rule := part.strip()))
    start = column + match.start() + 1
    return Ignore(Span(row, start, row, column + len(comment) + 1), rules, reason, expires)


def _split(rest: str) -> tuple[str, dt.date | None]:
    match = _EXPIRES.search(rest)
    expires = None if match is None else _date(match[1])
    if match is not None and expires is not None:
        rest = f"{rest[: match.start()]} {rest[match.end() :]}"
    return " ".join(rest.split()).lstrip(":-–—, "), expires


def _date(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None
