"""Where the ways out of a node of a state graph lead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from agentcheck.graph.handles import Fn
from agentcheck.graph.origins import Origin
from agentcheck.graph.resolve import Function, Instance
from agentcheck.graph.stategraph_names import Names, NodeNames
from agentcheck.graph.text import last_name, string
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

# Calls that give a runnable which does what their first argument does.
WRAPPERS = frozenset({"partial", "RunnableLambda", "RunnableCallable", "coerce_to_runnable"})


class Found(Struct):
    """The nodes that an answer may name, with its label; `open` if there may be others."""

    targets: dict[str, str | None] = field(default_factory=dict)
    open: bool = False
    router: Fn | None = None


class Ways(NodeNames):
    """Reads the answers of routers and of nodes.

    `answers` are those of routers outside the target, by dotted name.
    """

    def __init__(self, graph: AgentGraph, answers: Mapping[str, Iterable[str]]) -> None:
        super().__init__(graph)
        self.answers = answers

    def function(self, expr: E.Expr, fn: Fn) -> Fn | None:
        """The function of the target that a runnable runs."""
        while isinstance(expr, E.Call) and expr.args and last_name(expr.func) in WRAPPERS:
            expr = expr.args[0].value
        for symbol in self.graph.resolver.of(expr, fn):
            if isinstance(symbol, Function) and not isinstance(expr, E.Call):
                return symbol.fn
            if isinstance(symbol, Instance):
                method = self.graph.resolver.method(symbol.klass, "__call__")
                return method or self.graph.resolver.method(symbol.klass, "invoke")
        return self._wrapped(expr, fn)

    def _wrapped(self, expr: E.Expr, fn: Fn) -> Fn | None:
        """`node = partial(run, agent=a)` and a closure that a factory returns."""
        for origin in self.graph.tracer.local(expr, fn):
            if origin.expr is None or origin.steps or origin.expr is expr:
                continue
            wrapper = isinstance(origin.expr, E.Call) and last_name(origin.expr.func) in WRAPPERS
            if wrapper or origin.kind == "define":
                return self.function(origin.expr, origin.fn)
        return None

    def of_router(self, router: E.Expr | None, labels: E.Expr | None, fn: Fn) -> Found:
        """Where a conditional edge leads."""
        if router is None:
            return Found(open=True)
        target = self.function(router, fn)
        mapped = self._mapped(labels, fn) if labels is not None else None
        if mapped is not None:
            mapped.router = target
            return mapped
        if target is not None:
            names, is_open = self._results(target)
        elif isinstance(router, E.Lambda):
            names, is_open = self.names(router.body, fn)
        else:
            dotted = self.graph.resolver.dotted(router, fn)
            known = [a for name, a in self.answers.items() if name in dotted]
            names, is_open = set(known[0] if known else ()), not known
        return Found(dict.fromkeys(sorted(names)), is_open, target)

    def _mapped(self, labels: E.Expr, fn: Fn) -> Found | None:
        """`{"yes": "tools", "no": END}` or `["tools", END]`."""
        for origin in self.graph.tracer.of(labels, fn, up=2):
            if isinstance(origin.expr, E.Entries) and not origin.steps:
                found = Found()
                for entry in origin.expr.entries:
                    names, is_open = self.names(entry.value, origin.fn)
                    label = self._label(entry.key, origin.fn)
                    found.targets |= dict.fromkeys(sorted(names), label)
                    found.open = found.open or is_open
                return found
            if isinstance(origin.expr, E.Items) and not origin.steps:
                names, is_open = self.names(origin.expr, origin.fn)
                return Found(dict.fromkeys(sorted(names)), is_open)
        return None

    def _label(self, key: E.Expr | None, fn: Fn) -> str | None:
        if isinstance(key, E.Const):
            return str(key.value)
        return self.reserved(key, fn) if key is not None else None

    def _results(self, fn: Fn) -> Names:
        """The names that a function answers with, by its annotation if that lists them."""
        promised = self._promised(fn)
        if promised:
            return promised, False
        results = self.graph.tracer.results(fn)
        return self.joined(self.names(r, fn) for r in results) if results else (set(), True)

    def _promised(self, fn: Fn) -> set[str]:
        """The names in `-> Literal["a", "b"]` and `-> Command[Literal["a", "b"]]`."""
        found = set[str]()
        for expr in descend(fn.facts.returns) if fn.facts.returns is not None else ():
            if isinstance(expr, E.Index) and last_name(expr.value) == "Literal":
                found |= self.names(expr.index, fn)[0]
        return found

    def of_node(self, fn: Fn | None, listed: E.Expr | None, host: Fn) -> Found:
        """Where the answer of a node itself leads, by `Command(goto=...)`."""
        found = Found()
        names = set[str]()
        if listed is not None:
            names |= self.names(listed, host)[0]
            names |= {k for e in descend(listed) if isinstance(e, E.Entries) for k in _keys(e)}
        if fn is not None:
            names |= self._commanded(fn, found)
        found.targets = dict.fromkeys(sorted(names))
        return found

    def _commanded(self, fn: Fn, found: Found) -> set[str]:
        names = set[str]()
        for result in self.graph.tracer.results(fn):
            for origin in (Origin("call", result, fn), *self.graph.tracer.local(result, fn)):
                made = origin.expr
                if isinstance(made, E.Call) and last_name(made.func) == "Command":
                    goto, is_open = self.names(made, origin.fn)
                    names |= goto
                    found.open = found.open or is_open
        promised = self._promised(fn) if names or found.open else set()
        found.open = found.open and not promised
        return names | promised


def _keys(entries: E.Entries) -> set[str]:
    return {k for e in entries.entries if e.key is not None and (k := string(e.key))}
