"""Fixes that give a wait an end."""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.rule import (
    E,
    Edit,
    Fix,
    Fn,
    Site,
    argument,
    edit_keyword,
    edit_replace,
    last_name,
)
from agentcheck_rules.limits._waits import Wait

SECONDS, OF_A_PROGRAM, OF_A_MODEL = 30, 120, 600
"""What a connection, a program and a model get. Ten minutes is the default of OpenAI's and
Anthropic's own clients."""
# Classes and methods whose time-out is no number, or whose expiry leaves a process behind.
_NO_NUMBER = ("aiohttp.", "subprocess.Popen.", "asyncio.")


def timed_waits(left: Sequence[Wait]) -> Fix | None:
    """A time-out for every wait, where all of them take one as a number of seconds."""
    edits = [_timed(wait) for wait in left]
    known = tuple(edit for edit in edits if edit is not None)
    if len(known) < len(edits):
        return None
    spoken = sorted({f"`timeout={edit.code}`" for edit in known if edit.name})
    return Fix("unsafe", f"Pass {' and '.join(spoken) or 'a finite time-out'}.", known)


def _timed(wait: Wait) -> Edit | None:
    outside, fn, call = wait.outside, wait.site.fn, wait.site.call
    if not outside.keyword or wait.name.startswith(_NO_NUMBER):
        return None
    seconds = str(OF_A_PROGRAM if outside.kind == "subprocess" else SECONDS)
    if argument(call, outside.keyword, outside.position) is not None:
        return _instead(fn, argument(call, outside.keyword, outside.position), seconds)
    return edit_keyword(fn, call, outside.keyword, seconds)


def _instead(fn: Fn, given: E.Expr | None, seconds: str) -> Edit | None:
    """A number in place of a literal None, alone or in `httpx.Timeout(None)`."""
    match given:
        case E.Const(value=None):
            return edit_replace(fn, given.span, seconds)
        case E.Call(args=(only,)) if (last_name(given.func) or "").endswith("Timeout"):
            return _instead(fn, only.value, seconds)
        case _:
            return None


def timed_clients(left: Sequence[Site], keyword: str) -> Fix | None:
    """A time-out in seconds for every client that has none."""
    edits = [_timed_client(site, keyword) for site in left]
    known = tuple(edit for edit in edits if edit is not None)
    if "." in keyword or keyword.endswith("_ms") or len(known) < len(edits):
        return None
    return Fix("unsafe", f"Pass `{keyword}={OF_A_MODEL}`, ten minutes.", known)


def _timed_client(site: Site, keyword: str) -> Edit | None:
    value = argument(site.call, keyword)
    if value is not None:
        return _instead(site.fn, value, str(OF_A_MODEL))
    return edit_keyword(site.fn, site.call, keyword, str(OF_A_MODEL))
