"""Why a file is in no known format: which one it came closest to, and what it has instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from operator import itemgetter
from typing import Any, NamedTuple

from agentcheck.trace.readers.base import Fit, Format

_CLOSE = 0.4
"""Below this nothing of a format is there."""
_SURE = 0.7
"""From here on a reader knows what it sees, and its keys need not be counted."""
_DEEPEST, _MOST = 8, 5_000
_SHOWN = 5


class Judged(NamedTuple):
    """A format and how well the records fit it at best."""

    form: Format
    fit: Fit


def why_unknown(
    samples: Sequence[Any], judged: Sequence[Judged], own: frozenset[str] = frozenset()
) -> str:
    """One clause on the format that some decoded records are closest to, and why they miss it.

    The closest of the user's `own` is told as well, for that is the one he most likely means.
    """
    keys = {_folded(key): key for key in _keys(samples)}
    scores = [(_nearness(each, keys), each) for each in judged]
    score, near = max(scores, key=itemgetter(0))
    mine = [pair for pair in scores if pair[1].form.name in own]
    more = [max(mine, key=itemgetter(0))[1]] if mine else []
    if score < _CLOSE:
        why = f"nothing in it is of any trace format that is known; {_shown(samples)}"
        return "; ".join((why, *(_missed(each, keys) for each in more)))
    told = dict.fromkeys(_missed(each, keys) for each in (near, *more))
    return f"in no trace format that is known; closest is {'; '.join(told)}"


def _missed(judged: Judged, keys: dict[str, str]) -> str:
    instead = _instead(judged.form, keys)
    return f"{judged.form.name}: {judged.fit.why}{f' ({instead})' if instead else ''}"


def _nearness(judged: Judged, keys: dict[str, str]) -> float:
    """How near records came: by what the reader makes of them, and by their keys.

    Many keys of a format tell more than a large share of its few; below _CLOSE are those of which
    neither the reader nor the share of keys makes much.
    """
    marks = [_folded(mark) for mark in judged.form.marks]
    there = sum(1 if mark in keys else 0.75 * bool(_like(mark, keys)) for mark in marks)
    share = there / len(marks) if marks else 0.0
    close = judged.fit.score + share
    if judged.fit.score >= _SURE:
        return 100 * judged.fit.score
    return 3 * judged.fit.score + share + there if close >= _CLOSE else close / 10


def _instead(form: Format, keys: dict[str, str]) -> str:
    """A key that is missing and seems to have been renamed."""
    marks = {_folded(mark): mark for mark in form.marks}
    for folded, mark in marks.items():
        like = _like(folded, keys) if folded not in keys else None
        if like is not None and like not in marks:
            return f"it has `{keys[like][:60]}` where that has `{mark}`"
    return ""


def _like(mark: str, keys: dict[str, str]) -> str | None:
    return next(iter(get_close_matches(mark, keys, n=1, cutoff=0.8)), None)


def _folded(key: str) -> str:
    """A key as snake and camel case alike have it."""
    return key.replace("_", "").casefold()


def _shown(samples: Sequence[Any]) -> str:
    first = next((each for each in samples if isinstance(each, dict)), None)
    if first is None:
        return "it holds no JSON objects"
    if not first:
        return "it holds an empty object"
    more = ", .." if len(first) > _SHOWN else ""
    return f"its keys: {', '.join(f'`{key[:40]}`' for key in list(first)[:_SHOWN])}{more}"


def _keys(samples: Sequence[Any]) -> list[str]:
    """The keys of some values and of what is in them, up to a depth and a number."""
    found: dict[str, None] = {}
    for value in samples:
        for key in _below(value, _DEEPEST):
            if len(found) >= _MOST:
                return list(found)
            found[key] = None
    return list(found)


def _below(value: Any, depth: int) -> Iterator[str]:
    if depth and isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _below(inner, depth - 1)
    elif depth and isinstance(value, list):
        for inner in value[:16]:
            yield from _below(inner, depth - 1)
