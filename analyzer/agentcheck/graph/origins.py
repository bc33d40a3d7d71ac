"""Finding origins: inside a function, into what it calls, and up to what its callers pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from agentcheck.graph.bodies import appended, results
from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Located, Site
from agentcheck.graph.origin import (
    DEPTH,
    MANY,
    PARSERS,
    SAME_FUNCTION,
    SAME_METHOD,
    Origin,
    Origins,
    Registered,
    distinct,
    entry_of,
    field_of,
    makes_object,
    modules_of,
    same_method,
)
from agentcheck.graph.passed import Passed
from agentcheck.graph.reaching import reaching
from agentcheck.graph.scope import Binding
from agentcheck.graph.text import string
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.facts import FileFacts

if TYPE_CHECKING:
    from agentcheck.graph.effects import Effect
    from agentcheck.graph.textfiles import TextFiles
    from agentcheck.graph.toolset import Tool

__all__ = [
    "MANY",
    "PARSERS",
    "SAME_FUNCTION",
    "SAME_METHOD",
    "Origin",
    "Origins",
    "Tracer",
    "distinct",
]


class Tracer:
    """Finds origins, inside a function (`local`) and through its callers (`of`)."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.resolver = calls.resolver
        self.program = calls.program
        self._memo: dict[tuple[Fn, int], Origins] = {}
        self._busy: set[tuple[Fn, int]] = set()
        self._exports: dict[tuple[str, str], Origins] = {}
        self._depth = 0
        self._passed = Passed(self)
        # Set once registries are linked: what is stored elsewhere in a container, under a key.
        self.registered: Registered | None = None
        # What tools do to the world, by the id of each; see `agentcheck.graph.effects`.
        self.effects: dict[int, tuple[Tool, list[Effect]]] = {}
        self.files: TextFiles | None = None  # likewise: what is read from files beside the code

    def of(self, expr: E.Expr, fn: Fn, up: int = 5) -> Origins:
        """The origins of an expression, parameters replaced by what callers pass, `up` levels."""
        frontier: Sequence[Origin] = self.local(expr, fn)
        if not any(origin.kind == "param" for origin in frontier):
            return tuple(frontier)
        found, seen = list[Origin](), set[tuple[object, ...]]()
        for level in range(up + 1):
            following = list[Origin]()
            for origin in frontier:
                key = origin.key
                if key in seen:
                    continue
                seen.add(key)
                above = self._passed.above(origin) if origin.kind == "param" and level < up else ()
                following += above
                if not above:
                    found.append(origin)
            frontier = following[: 4 * MANY]
            if not frontier:
                break
        return tuple(found)

    @property
    def idle(self) -> bool:
        """Whether nothing is being sought, so that an answer is whole and may be kept."""
        return not self._busy and self.resolver.idle

    def local(self, expr: E.Expr, fn: Fn) -> Origins:
        """The origins of an expression as its own function sees them; calls are entered."""
        key = (fn, id(expr))
        known = self._memo.get(key)
        if known is not None:
            return known
        if key in self._busy or self._depth > DEPTH:
            return ()
        self._busy.add(key)
        self._depth += 1
        try:
            found = distinct(_WAYS.get(type(expr), Tracer._local)(self, expr, fn))
        finally:
            self._busy.discard(key)
            self._depth -= 1
        self._memo[key] = found
        return found

    def _local(self, expr: E.Expr, fn: Fn) -> Iterator[Origin]:
        match expr:
            case E.Await() | E.Walrus() | E.Star():
                yield from self.local(expr.value, fn)
            case E.Choice():
                yield from (*self.local(expr.then, fn), *self.local(expr.otherwise, fn))
            case E.Logic():
                for value in expr.values:
                    yield from self.local(value, fn)
            case E.Comp(kind="list" | "set" | "generator"):
                yield from self.local(expr.element, fn)
            case E.Binary():
                yield from (*self.local(expr.left, fn), *self.local(expr.right, fn))
            case E.Const():
                yield Origin("const", expr, fn)
            case E.Items() | E.Entries() | E.Template() | E.Comp():
                yield Origin("display", expr, fn)
            case _:
                yield Origin("other", expr, fn)

    def _index(self, expr: E.Index, fn: Fn) -> Iterator[Origin]:
        if isinstance(expr.index, E.Slice):
            yield from self.local(expr.value, fn)
            return
        key = string(expr.index) or "[]"
        yield from self._into(expr.value, fn, key)

    def _into(self, base: E.Expr, fn: Fn, key: str) -> Iterator[Origin]:
        """One key of a value; a display with that key gives what stands under it."""
        for origin in self.local(base, fn):
            inner = entry_of(origin, key)
            if inner is None and makes_object(self.resolver, origin):
                inner = field_of(origin, key)
            if inner is not None:
                yield from self.local(inner, origin.fn)
            else:
                yield origin.step(key)

    def _attribute(self, expr: E.Attr, fn: Fn) -> Iterator[Origin]:
        klass = self.program.self_class(fn)
        if (
            klass is not None
            and isinstance(expr.value, E.Name)
            and self.program.is_self(expr.value, fn)
        ):
            values = self.resolver.attribute_values(klass, expr.attr)
            for value, method in values[:MANY]:
                yield from self.local(value, method)
            if values:
                return
        found = [
            o
            for path in modules_of(self.resolver, expr, fn)
            for o in self._exported(path, expr.attr, expr)
        ]
        yield from found or self._into(expr.value, fn, expr.attr)

    def _name(self, expr: E.Name, fn: Fn) -> Iterator[Origin]:
        here: Fn | None = fn
        while here is not None:
            bindings = self.program.scope(here).get(expr.id)
            if bindings:
                able = reaching(bindings, expr.where) if here is fn else bindings
                for binding in able[:MANY]:
                    yield from self._binding(binding, here, expr)
                return
            here = self.program.parent(here)
        yield from self._starred(expr, fn.file) or (Origin("global", expr, fn),)

    def _starred(self, name: E.Name, file: FileFacts) -> Origins:
        """A name that a `from m import *` of a file brings in."""
        for imported in file.imports:
            if imported.name == "*":
                source = self.program.modules.of_import(imported, file.path)
                found = self._exported(source, name.id, name) if source else ()
                if found:
                    return found
        return ()

    def _binding(self, binding: Binding, fn: Fn, name: E.Expr) -> Iterator[Origin]:
        match binding.how:
            case "param":
                yield Origin("param", name, fn, binding.param.name if binding.param else None)
            case "value" | "enter" | "match" if binding.expr is not None:
                yield from self.local(binding.expr, fn)
            case "element" | "item" if binding.expr is not None:
                yield from self._element(binding.expr, fn)
            case "import":
                yield from self._imported(binding, fn, name)
            case "augmented":
                return
            case _:
                yield Origin("define", name, fn)

    def _element(self, expr: E.Expr, fn: Fn) -> Iterator[Origin]:
        for origin in self.local(expr, fn):
            if origin.kind == "display" and isinstance(origin.expr, E.Items) and not origin.steps:
                for item in origin.expr.items[:MANY]:
                    yield from self.local(item, origin.fn)
            else:
                yield origin.step("[]")
        yield from (o for added in appended(self.program, expr, fn) for o in self.local(added, fn))

    def _imported(self, binding: Binding, fn: Fn, name: E.Expr) -> Iterator[Origin]:
        imported = binding.imported
        source = self.program.modules.of_import(imported, fn.file.path) if imported else None
        if imported is None or source is None or imported.name in (None, "*"):
            yield Origin("global", name, fn)
            return
        yield from self._exported(source, imported.name or "", name)

    def _exported(self, source: str, exported: str, name: E.Expr) -> Origins:
        """The origins of a module's name; modules that import each other in circles end."""
        key = (source, exported)
        if key not in self._exports:
            self._exports[key] = ()
            module = self.program.module(source)
            bindings = self.program.scope(module).get(exported, [])[:MANY]
            self._exports[key] = distinct(
                o for b in bindings for o in self._binding(b, module, name)
            ) or self._starred(E.Name(name.where, exported), module.file)
        return self._exports[key]

    def _call(self, call: E.Call, fn: Fn) -> Iterator[Origin]:
        func, names = call.func, self.resolver.dotted(call.func, fn)
        if names & PARSERS and call.args:
            yield from (o.step("json()") for o in self.local(call.args[0].value, fn))
        elif names & SAME_FUNCTION and call.args:
            for arg in call.args[:4]:
                yield from self.local(arg.value, fn)
        elif names & {"getattr"} and len(call.args) > 1:
            yield from self._into(call.args[0].value, fn, string(call.args[1].value) or "[]")
        elif (
            isinstance(func, E.Attr)
            and func.attr in ("get", "pop")
            and call.args
            and not self._inner(call, fn)
        ):
            yield from self._into(func.value, fn, string(call.args[0].value) or "[]")
        elif (
            isinstance(func, E.Attr) and same_method(func.attr, call) and not self._inner(call, fn)
        ):
            yield from self.local(func.value, fn)
        else:
            yield from self._entered(call, fn)

    def _inner(self, call: E.Call, fn: Fn) -> Sequence[Fn]:
        return self.calls.callees(self.site(call, fn))

    def site(self, call: E.Call, fn: Fn) -> Site:
        """A call as a site of its function, where nothing around it matters."""
        return Site(call, Located(S.Do(call.where, call), fn, None))

    def _entered(self, call: E.Call, fn: Fn) -> Iterator[Origin]:
        """A call is its own origin; one into the target also has those of what it returns."""
        yield Origin("call", call, fn)
        site = self.site(call, fn)
        for callee in self.calls.callees(site)[:MANY]:
            if callee.name == "__init__":
                continue
            given = self.calls.bound(site, callee)
            for result in self.results(callee):
                for origin in self.local(result, callee):
                    yield from self._substituted(origin, callee, given, fn)

    def _substituted(
        self, origin: Origin, callee: Fn, given: dict[str, E.Expr], fn: Fn
    ) -> Iterator[Origin]:
        """A result that is one of the callee's parameters is what this call passed for it."""
        if origin.kind == "param" and origin.fn is callee and origin.param in given:
            for outer in self.local(given[origin.param], fn):
                yield outer.step(*origin.steps)
        else:
            yield origin

    def results(self, fn: Fn) -> list[E.Expr]:
        """The expressions a function returns or, for a generator, yields."""
        return results(self.program, fn)


_WAYS: dict[type, Callable[[Tracer, Any, Fn], Iterator[Origin]]] = {
    E.Name: Tracer._name,
    E.Attr: Tracer._attribute,
    E.Index: Tracer._index,
    E.Call: Tracer._call,
}
