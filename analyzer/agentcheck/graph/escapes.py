"""Where values of model calls get out of what can be followed through the target."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal, TypeGuard

from msgspec import Struct

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.origins import Origin, Tracer
from agentcheck.graph.resolve import External
from agentcheck.graph.sinks import SERIALIZERS, Sink, flatten, sinks_of
from agentcheck.graph.text import last_name
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model.kind import code_kind

Out = Literal["returned", "yielded", "kept", "away"]
Names = tuple[str, ...]
HOSTS = 60
# Decorators that hand on the result of a function and look at nothing of it.
BLIND = frozenset(
    "property staticmethod classmethod cache lru_cache cached_property wraps contextmanager "
    "asynccontextmanager abstractmethod override overload final singledispatch on_exception "
    "timeout limits sleep_and_retry cache_data cache_resource experimental_memo".split()
)
JUDGES = ("retry_if_result", "retry_if_not_result")


class Escape(Struct, frozen=True, eq=False):
    """A place where a part of a reply, `names` below it, gets out; it is kept under `key`."""

    kind: Out
    site: Site
    names: Names
    key: str | None


class Flow:
    """Follows the results of some calls, given by the identity of their expressions."""

    def __init__(self, tracer: Tracer, sources: Collection[int]) -> None:
        self._tracer = tracer
        self._calls = tracer.calls
        self._program = tracer.program
        self._sources = sources
        self._sinks: dict[Fn, list[tuple[Sink, list[tuple[int, Names]]]]] = {}
        self._nested: dict[Fn, list[Fn]] = {}
        for fn in self._program.every_function():
            host = self._program.parent(fn)
            if host is not None and host.index:
                self._nested.setdefault(host, []).append(fn)

    def escapes(
        self, source: Site, parts: Collection[Names], readers: Collection[Fn]
    ) -> list[Escape]:
        """Where the call's result, or one of its `parts`, gets out of the target's functions.

        `readers` are functions known to read it. One that no call leads to gets it under another
        name, so that a function which returns it is called after all.
        """
        found, seen = list[Escape](), set[Fn]()
        found.extend(self._from([source.fn], source, parts, seen))
        hidden = [fn for fn in readers if fn not in seen]
        if hidden:
            found = [e for e in found if e.kind not in ("returned", "yielded")]
            found.extend(self._from(hidden, source, parts, seen))
        return found

    def _from(
        self, queue: list[Fn], source: Site, parts: Collection[Names], seen: set[Fn]
    ) -> Iterator[Escape]:
        while queue and len(seen) < HOSTS:
            fn = queue.pop()
            if fn in seen or code_kind(fn.file.path) == "test":
                continue
            seen.add(fn)
            queue.extend(self._nested.get(fn, ()))
            for sink, carried in self._carried(fn):
                for names in {n for call, n in carried if call == id(source.expr) and n in parts}:
                    further, out = self._leave(sink)
                    queue.extend(further)
                    if out is not None:
                        yield Escape(out, sink.site, names, sink.key)

    def _carried(self, fn: Fn) -> list[tuple[Sink, list[tuple[int, Names]]]]:
        if fn not in self._sinks:
            found = ((s, list(self._sources_of(s.value, fn))) for s in sinks_of(self._calls, fn))
            self._sinks[fn] = [(sink, carried) for sink, carried in found if carried]
        return self._sinks[fn]

    def _sources_of(self, value: E.Expr, fn: Fn, depth: int = 3) -> Iterator[tuple[int, Names]]:
        """The followed calls that a value comes from whole or in part, displays looked through."""
        if not isinstance(value, (E.Name, E.Attr, E.Index, E.Call, E.Comp, E.Binary)):
            return
        for origin in self._tracer.of(value, fn, up=4):
            if origin.kind == "call" and id(origin.expr) in self._sources:
                yield id(origin.expr), tuple(n for n in origin.names if n != "json()")
            elif depth:
                for inner in self._inner(origin):
                    yield from self._sources_of(inner, origin.fn, depth - 1)

    def _inner(self, origin: Origin) -> Iterator[E.Expr]:
        """What a display holds, or what a serializer was given."""
        if origin.steps or origin.expr is None:
            return
        if origin.kind == "display":
            yield from (value for value, _ in flatten(origin.expr))
        elif self._is_serialized(origin.expr, origin.fn):
            yield from (value for value, _ in flatten(origin.expr.args[0].value))

    def _is_serialized(self, expr: E.Expr, fn: Fn) -> TypeGuard[E.Call]:
        if not isinstance(expr, E.Call) or not expr.args:
            return False
        return bool(self._calls.resolver.dotted(expr.func, fn) & SERIALIZERS)

    def _leave(self, sink: Sink) -> tuple[list[Fn], Out | None]:
        """The functions that get the value next, and how it gets out, if it does."""
        fn = sink.site.fn
        match sink.kind:
            case "returned" | "yielded":
                hosts = [s.fn for s in self._calls.callers(fn)]
                hosts = [host for host in hosts if code_kind(host.file.path) != "test"]
                if self._is_watched(fn):
                    return hosts, "away"
                return hosts, None if hosts else sink.kind
            case "into":
                return self._entered(sink)
            case "kept":
                klass = self._program.self_class(fn)
                return list(klass.methods.values()) if klass else [], "kept"
            case _:
                return [], "away"

    def _entered(self, sink: Sink) -> tuple[list[Fn], Out | None]:
        """A call into the target; away when the value reaches no parameter that has a name."""
        lost = False
        callees = self._calls.callees(sink.site)
        for callee in callees:
            named = {p.name for p in callee.facts.params}
            given = self._calls.bound(sink.site, callee)
            reached = [v for n, v in given.items() if n in named]
            lost = lost or not any(v is sink.value for e in reached for v, _ in flatten(e))
        return list(callees), "away" if lost else None

    def _is_watched(self, fn: Fn) -> bool:
        """Whether a decorator of another package may look at the function's results."""
        return any(self._looks(d, fn) for d in fn.facts.decorators)

    def _looks(self, decorator: E.Expr, fn: Fn) -> bool:
        func = decorator.func if isinstance(decorator, E.Call) else decorator
        last = last_name(func)
        if last in BLIND:
            return False
        if last == "retry":
            args = decorator.args if isinstance(decorator, E.Call) else ()
            return any(_judges(a.value) for a in args)
        host = self._program.parent(fn) or fn
        return any(isinstance(x, External) for x in self._tracer.resolver.of(func, host))


def _judges(condition: E.Expr) -> bool:
    """Whether a condition for asking again looks at results."""
    return any(
        isinstance(e, (E.Name, E.Attr)) and last_name(e) in JUDGES for e in descend(condition)
    )
