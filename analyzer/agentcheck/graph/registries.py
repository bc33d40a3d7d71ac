"""What the target's own registering functions and decorators put into its lists and mappings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from agentcheck.graph.containers import Element
from agentcheck.graph.handles import Fn, Klass
from agentcheck.graph.meanings import meanings
from agentcheck.graph.origins import Origin, Tracer
from agentcheck.graph.resolve import Function
from agentcheck.graph.text import last_name, string
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

_PUTS = {"append": 0, "add": 0, "setdefault": 1, "insert": 1, "register": 0}

# Attributes that a class gets filled with what its methods under a decorator return: crewai
# 1.15.30 project/annotations.py.
COLLECTED = {"agents": "crewai.project.agent", "tasks": "crewai.project.task"}


class Stored(Struct, frozen=True, eq=False):
    """`base[key] = value` or `base.append(value)`, in a function."""

    base: E.Expr
    key: E.Expr | None
    value: E.Expr
    fn: Fn


class Decorated(Struct, frozen=True, eq=False):
    """A function or class as its name in its scope, with the decorator as written."""

    element: Element
    name: str
    decorator: E.Expr


class Registries:
    """Finds what is stored in a container by functions that are called, or decorate, elsewhere."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.program = tracer.program
        self._busy: set[int] = set()
        self._identities: dict[tuple[int, Fn], frozenset[int]] = {}

    def of(self, expr: E.Name | E.Attr, fn: Fn, key: str | None = None) -> Iterator[Element]:
        """What functions other than `fn` store in a container; with a key, what may be under it."""
        yield from self._collected(expr, fn)
        stores = self._stores.get(last_name(expr) or "", ())
        if not stores or id(expr) in self._busy:
            return
        self._busy.add(id(expr))
        try:
            mine = self._identity(expr, fn)
            for store in stores:
                same = store.base is not expr and mine & self._identity(store.base, store.fn)
                if same and (store.fn is not fn or store.key is not None):
                    yield from self._values(store, key)
        finally:
            self._busy.discard(id(expr))

    def _collected(self, expr: E.Name | E.Attr, fn: Fn) -> Iterator[Element]:
        """`self.agents` of a crew's class: what its methods under `@agent` give."""
        wanted = COLLECTED.get(last_name(expr) or "")
        klass = self.program.self_class(fn) if wanted and isinstance(expr, E.Attr) else None
        for method in klass.methods.values() if klass is not None else ():
            host = self.program.parent(method) or method
            named = (self.tracer.resolver.dotted(d, host) for d in method.facts.decorators)
            if any(wanted in names for names in named):
                yield from (Element(r, method) for r in self.tracer.results(method))

    def _identity(self, expr: E.Expr, fn: Fn, depth: int = 3) -> frozenset[int]:
        """The displays and constructor calls that a container is made by."""
        if not isinstance(expr, (E.Name, E.Attr)):
            return frozenset({id(expr)})
        key = (id(expr), fn)
        if key not in self._identities:
            self._identities[key] = frozenset()
            found = meanings(self.tracer, expr, fn) if depth else []
            self._identities[key] = frozenset(
                i for given, host in found for i in self._identity(given, host, depth - 1)
            )
        return self._identities[key]

    @cached_property
    def _stores(self) -> dict[str, list[Stored]]:
        found: dict[str, list[Stored]] = {}
        for fn in self.program.every_function():
            for at in self.program.statements(fn):
                stmt = at.stmt
                if type(stmt) is not S.Do and type(stmt) is not S.Assign:
                    continue
                if type(stmt) is S.Assign and type(stmt.targets[0]) is not E.Index:
                    continue
                for store in _stored(at.stmt, fn):
                    found.setdefault(last_name(store.base) or "", []).append(store)
        return found

    def _values(self, store: Stored, key: str | None) -> Iterator[Element]:
        literal = string(store.key)
        if key is not None and literal not in (None, key):
            return
        for origin in self.tracer.of(store.value, store.fn, up=3):
            yield from self._meant(origin, store, key if literal is None else None)

    def _meant(self, origin: Origin, store: Stored, key: str | None) -> Iterator[Element]:
        """A stored parameter, or a wrapper around it, is what the decorator stands above."""
        nested = origin.kind == "define" and origin.fn is store.fn and store.fn.index
        if origin.kind == "param" or nested:
            for one in self._above(origin.fn):
                if key is None or key == one.name or key in _texts(one.decorator):
                    yield one.element
        elif origin.kind in ("define", "call", "display") and origin.expr and not origin.steps:
            yield from self._wrapping(origin, store, key) or [Element(origin.expr, origin.fn)]

    def _wrapping(self, origin: Origin, store: Stored, key: str | None) -> list[Element]:
        """`TOOLS[name] = Tool(name, fn)`: the decorated function is among the arguments."""
        if not isinstance(origin.expr, E.Call) or origin.fn is not store.fn:
            return []
        inner = (o for arg in origin.expr.args for o in self.tracer.local(arg.value, origin.fn))
        return [e for o in inner if o.kind == "param" for e in self._meant(o, store, key)]

    def _above(self, fn: Fn) -> list[Decorated]:
        """What a function decorates, itself or as what the decorator factory around it returns."""
        here: Fn | None = fn
        while here is not None and here.index:
            if here in self._decorated:
                return self._decorated[here]
            here = self.program.parent(here)
        return []

    @cached_property
    def _decorated(self) -> dict[Fn, list[Decorated]]:
        found: dict[Fn, list[Decorated]] = {}
        definitions: list[Fn | Klass] = [*self.program.every_function()]
        definitions += self.program.every_class()
        for one in definitions:
            for decorator in one.facts.decorators:
                host = self.program.functions[one.file.path][one.facts.parent or 0]
                func = decorator.func if isinstance(decorator, E.Call) else decorator
                for symbol in self.tracer.resolver.of(func, host):
                    if isinstance(symbol, Function):
                        name = E.Name(one.facts.name_where, one.name)
                        made = Decorated(Element(name, host), one.name, decorator)
                        found.setdefault(symbol.fn, []).append(made)
        return found


def _stored(stmt: S.Stmt, fn: Fn) -> Iterator[Stored]:
    match stmt:
        case S.Assign(targets=(E.Index(value=base, index=key),), value=value) if value is not None:
            yield Stored(base, key, value, fn)
        case S.Do(value=E.Call(func=E.Attr(attr=attr, value=base), args=args)) if attr in _PUTS:
            position = _PUTS[attr]
            if len(args) > position:
                yield Stored(base, args[0].value if position else None, args[position].value, fn)
        case _:
            return


def _texts(decorator: E.Expr) -> set[str]:
    args = decorator.args if isinstance(decorator, E.Call) else ()
    return {text for arg in args if (text := string(arg.value))}
