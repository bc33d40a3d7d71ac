"""What a call is given at a dotted path of arguments, keys of dicts and fields of objects."""

from __future__ import annotations

from agentcheck.graph.containers import Element
from agentcheck.graph.handles import Fn
from agentcheck.graph.origins import Tracer
from agentcheck.graph.text import argument, string
from agentcheck.model import expr as E


def given_at(
    tracer: Tracer, call: E.Call, fn: Fn, path: str, position: int | None = None
) -> Element | None:
    """The argument at a dotted path: `config.recursion_limit` is a key of the dict `config`.

    `position` is that of the path's first name. None where nothing is given there, or where it
    cannot be told what is.
    """
    head, *rest = path.split(".")
    first = argument(call, head, position)
    given = Element(first, fn) if first is not None else None
    for key in rest:
        if given is None:
            return None
        given = _under(tracer, given, key)
    return given


def _under(tracer: Tracer, given: Element, key: str) -> Element | None:
    for origin in tracer.local(given.expr, given.fn):
        if origin.steps:
            continue
        match origin.expr:
            case E.Entries(entries=entries):
                for entry in entries:
                    if entry.key is not None and string(entry.key) == key:
                        return Element(entry.value, origin.fn)
            case E.Call() as inner:
                found = argument(inner, key)
                if found is not None:
                    return Element(found, origin.fn)
            case _:
                continue
    return None
