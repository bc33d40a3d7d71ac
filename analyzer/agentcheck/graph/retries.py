"""Loops that repeat one model call until it succeeds: the first reply ends them."""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.graph.bound import Loop
from agentcheck.graph.calls import Calls
from agentcheck.graph.endings import Endings, inner_loop
from agentcheck.graph.handles import Located, Site
from agentcheck.model import stmt as S


def first_reply_ends(calls: Calls, loop: Loop, asks: Sequence[Site]) -> bool:
    """Whether every call in the loop that reaches a model stands in a `try` whose success leaves.

    Another turn then follows on an exception alone, never on what the model said.
    """
    return bool(asks) and all(_retried(calls, loop, site) for site in asks)


def _retried(calls: Calls, loop: Loop, site: Site) -> bool:
    endings = Endings(calls, site.fn)
    for ctx in site.at.around():
        if ctx.stmt is loop:
            return False
        if isinstance(ctx.stmt, S.Try) and ctx.part == "body":
            nested = inner_loop(Located(ctx.stmt, site.fn, ctx.up), loop)
            return endings.succeeds_out(site.at, ctx, nested=nested)
    return False
