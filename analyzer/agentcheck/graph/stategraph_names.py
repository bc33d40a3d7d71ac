"""The names of nodes that an expression gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agentcheck.graph.handles import Fn
from agentcheck.graph.origins import Origin
from agentcheck.graph.resolve import Function
from agentcheck.graph.stategraph import END, START
from agentcheck.graph.text import argument, last_name
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

Names = tuple[set[str], bool]


class NodeNames:
    """Reads names of nodes from literals, constants, `Send` and `Command`."""

    def __init__(self, graph: AgentGraph) -> None:
        self.graph = graph

    def names(self, expr: E.Expr, fn: Fn) -> Names:
        """The names of nodes that an expression gives, and whether it may give others."""
        match expr:
            case E.Items(items=items):
                return self.joined(self.names(item, fn) for item in items)
            case E.Comp(element=element, value=None):
                return self.names(element, fn)
            case E.Const(value=value):
                return ({value} if isinstance(value, str) else set()), False
            case E.Choice(then=then, otherwise=otherwise):
                return self.joined((self.names(then, fn), self.names(otherwise, fn)))
            case E.Call() if last_name(expr.func) == "Send":
                given = argument(expr, "node", 0)
                return self.names(given, fn) if given is not None else (set(), True)
            case E.Call() if last_name(expr.func) == "Command":
                given = argument(expr, "goto")
                return self.names(given, fn) if given is not None else (set(), False)
            case _:
                origins = self.graph.tracer.of(expr, fn, up=2)
                found = [self._of_origin(o, expr) for o in origins]
                return self.joined(found) if found else (set(), True)

    def joined(self, parts: Iterable[Names]) -> Names:
        """All the names, and whether any part may give others."""
        found, is_open = set[str](), False
        for names, more in parts:
            found |= names
            is_open = is_open or more
        return found, is_open

    def _of_origin(self, origin: Origin, asked: E.Expr) -> Names:
        expr = origin.expr
        if expr is None or origin.steps:
            return set(), True
        reserved = self.reserved(expr, origin.fn)
        if reserved:
            return {reserved}, False
        simple = isinstance(expr, (E.Const, E.Items, E.Comp))
        named = isinstance(expr, E.Call) and last_name(expr.func) in ("Send", "Command")
        return (
            self.names(expr, origin.fn)
            if (simple or named) and expr is not asked
            else (
                set(),
                not self._entered(origin),
            )
        )

    def _entered(self, origin: Origin) -> bool:
        """Whether a call's own results are among the origins, so that it adds nothing."""
        if origin.kind != "call" or not isinstance(origin.expr, E.Call):
            return False
        symbols = self.graph.resolver.of(origin.expr.func, origin.fn)
        return any(isinstance(s, Function) and self.graph.tracer.results(s.fn) for s in symbols)

    def reserved(self, expr: E.Expr, fn: Fn) -> str | None:
        """START or END, where an expression is the SDK's name for it."""
        if not isinstance(expr, (E.Name, E.Attr)):
            return None
        lasts = {name.rpartition(".")[2] for name in self.graph.resolver.dotted(expr, fn)}
        return END if "END" in lasts else START if "START" in lasts else None
