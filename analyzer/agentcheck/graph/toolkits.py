"""Calls of an SDK that give several tools at once: `[pay, *SearchToolkit().get_tools()]`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.containers import Element
from agentcheck.graph.handles import Fn
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.graph.toolset import Toolbox

DEPTH = 4


def toolkits(toolbox: Toolbox, given: E.Expr, fn: Fn) -> list[Element]:
    """The calls whose results are tools of a list and that the SDKs' data know, each as one.

    Starred in the list, added to another, or the whole list, under a name or not.
    """
    known = {name for kind, _ in toolbox.kinds for name in kind.constructors}
    resolver = toolbox.tracer.resolver
    found = {id(e.expr): e for e in _calls(toolbox, given, fn, DEPTH)}
    return [
        e
        for e in found.values()
        if isinstance(e.expr, E.Call) and known & resolver.dotted(e.expr.func, e.fn)
    ]


def _calls(toolbox: Toolbox, given: E.Expr, fn: Fn, depth: int) -> Iterator[Element]:
    if depth < 0:
        return
    match given:
        case E.Items():
            for item in given.items:
                if isinstance(item, E.Star):
                    yield from _calls(toolbox, item.value, fn, depth - 1)
        case E.Binary(op="+", left=left, right=right):
            yield from _calls(toolbox, left, fn, depth - 1)
            yield from _calls(toolbox, right, fn, depth - 1)
        case E.Await():
            yield from _calls(toolbox, given.value, fn, depth - 1)
        case E.Call():
            yield Element(given, fn)
        case E.Name() | E.Attr():
            for origin in toolbox.tracer.local(given, fn):
                if origin.expr is not None and origin.expr is not given and not origin.steps:
                    yield from _calls(toolbox, origin.expr, origin.fn, depth - 1)
        case _:
            return


def kit_name(dotted: str) -> str:
    """The class in "camel.toolkits.SearchToolkit.get_tools"; else the last part."""
    *_, owner, last = ("", *dotted.split("."))
    return owner if owner[:1].isupper() else last
