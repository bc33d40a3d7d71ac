"""Which reply's text an expression holds, also when it was trimmed or searched first."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, Fn, Reply, code_kind, find_replies

# Keys under which the SDKs give the text of a reply.
_TEXT = frozenset({"content", "text", "output_text", "response", "completion"})
_TRIMS = frozenset(
    "replace removeprefix removesuffix lstrip rstrip split rsplit partition group splitlines "
    "groups strip".split()
)
_DEPTH = 5


class Texts:
    """Answers which reply a text is of; made once for a graph."""

    def __init__(self, graph: AgentGraph) -> None:
        self._graph = graph
        self._replies = {
            id(r.call.site.expr): r
            for r in find_replies(graph)
            if code_kind(r.call.site.fn.file.path) != "test"
        }

    def of(self, expr: E.Expr, fn: Fn, depth: int = _DEPTH) -> Reply | None:
        """The reply whose text an expression may be, or be cut out of."""
        for inner in _untrimmed(expr) if self._replies else ():
            for origin in self._graph.tracer.of(inner, fn, up=3):
                reply = self._replies.get(id(origin.expr))
                if reply is not None and _is_text(reply, origin.names):
                    return reply
                made = origin.expr
                cut = reply is None and made is not None and made is not inner
                if depth and cut and made is not None and _inner(made) is not None:
                    found = self.of(made, origin.fn, depth - 1)
                    if found is not None:
                        return found
        return None


def _is_text(reply: Reply, names: tuple[str, ...]) -> bool:
    return names[-1:] != () and names[-1] in _TEXT and names in reply.paths.by_about["content"]


def _untrimmed(expr: E.Expr) -> Iterator[E.Expr]:
    """The expression, and what it was cut out of."""
    for _ in range(_DEPTH):
        yield expr
        inner = _inner(expr)
        if inner is None:
            return
        expr = inner


def _inner(expr: E.Expr) -> E.Expr | None:
    match expr:
        case E.Call(func=E.Attr(attr=attr, value=value)) if attr in _TRIMS:
            return value
        case E.Call(func=E.Attr(attr="search" | "match" | "findall" | "sub"), args=args) if args:
            return args[1].value if len(args) > 1 else args[0].value
        case E.Index(value=value):
            return value
        case _:
            return None
