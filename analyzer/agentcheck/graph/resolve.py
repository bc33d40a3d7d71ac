"""What an expression means: names to definitions, across files, bounded and memoised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from agentcheck.graph.handles import Fn, Klass
from agentcheck.graph.program import Program
from agentcheck.graph.scope import Binding
from agentcheck.graph.text import string
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.facts import Import

DEPTH = 24
PASSED = 4


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the target; `receiver` is the class it was reached through, if any."""

    fn: Fn
    receiver: Klass | None = None


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the target itself."""

    klass: Klass


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the target."""

    klass: Klass


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the target."""

    path: str


@dataclass(frozen=True, slots=True)
class External:
    """Something of another package by dotted name; calls leave no mark (`OpenAI().x` is `OpenAI.x`)."""

    dotted: str


Symbol: TypeAlias = Function | ClassRef | Instance | ModuleRef | External
Symbols: TypeAlias = tuple[Symbol, ...]


class Resolver:
    """Answers what an expression refers to. Nothing found is an empty tuple, never a guess."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._memo: dict[tuple[Fn, int], Symbols] = {}
        self._busy: set[tuple[Fn, int]] = set()
        self._names: dict[tuple[Fn, str], Symbols] = {}
        self._attribute_memo: dict[Klass, dict[str, list[tuple[E.Expr, Fn]]]] = {}
        self._members: dict[tuple[str, str], Symbols] = {}
        self._depth = 0
        # Set once calls are linked: what callers pass for a parameter that says nothing itself.
        self.passed: Callable[[Fn, E.Param], list[tuple[E.Expr, Fn]]] | None = None

    def of(self, expr: E.Expr, fn: Fn) -> Symbols:
        """The symbols an expression of a function may refer to."""
        key = (fn, id(expr))
        if key in self._memo:
            return self._memo[key]
        if key in self._busy or self._depth > DEPTH:
            return ()
        self._busy.add(key)
        self._depth += 1
        try:
            found = unique(self._of(expr, fn))
        finally:
            self._busy.discard(key)
            self._depth -= 1
        self._memo[key] = found
        return found

    def _of(self, expr: E.Expr, fn: Fn) -> Iterator[Symbol]:
        match expr:
            case E.Name():
                yield from self.name(expr.id, fn)
            case E.Attr():
                for base in self.of(expr.value, fn):
                    yield from self.member(base, expr.attr)
            case E.Call():
                yield from self._called(expr, fn)
            case E.Index():
                yield from self._indexed(expr, fn)
            case E.Await() | E.Walrus() | E.Star():
                yield from self.of(expr.value, fn)
            case E.Choice():
                yield from (*self.of(expr.then, fn), *self.of(expr.otherwise, fn))
            case E.Logic():
                for value in expr.values:
                    yield from self.of(value, fn)
            case E.Binary(op="|"):
                yield from (*self.of(expr.left, fn), *self.of(expr.right, fn))
            case E.Const(value=str() as text):
                yield from self._forward_reference(text, fn)
            case _:
                return

    def _indexed(self, expr: E.Index, fn: Fn) -> Iterator[Symbol]:
        """`Agent[Context]` is still Agent; `Optional[X]`, `Union[X, Y]` and lists of X are X."""
        for base in self.of(expr.value, fn):
            wraps = isinstance(base, External) and base.dotted.partition(".")[0] in _TYPING
            if wraps:
                inner = expr.index.items if isinstance(expr.index, E.Items) else (expr.index,)
                for item in inner:
                    yield from self.of(item, fn)
            elif isinstance(base, (ClassRef, External)):
                yield base

    def _forward_reference(self, text: str, fn: Fn) -> Iterator[Symbol]:
        if text.isidentifier():
            yield from (s for s in self.name(text, fn) if isinstance(s, ClassRef))

    def _called(self, call: E.Call, fn: Fn) -> Iterator[Symbol]:
        for target in self.of(call.func, fn):
            match target:
                case ClassRef():
                    yield Instance(target.klass)
                case External():
                    yield from self._external_call(target, call, fn)
                case Function():
                    yield from self.result(target.fn)
                case Instance():
                    method = self.method(target.klass, "__call__")
                    yield from self.result(method) if method else ()
                case _:
                    continue

    def _external_call(self, target: External, call: E.Call, fn: Fn) -> Iterator[Symbol]:
        if target.dotted in _TRANSPARENT and call.args:
            yield from self.of(call.args[0].value, fn)
        elif target.dotted == "super":
            klass = self.program.self_class(fn)
            yield from (Instance(base) for base in self.bases(klass)) if klass else ()
        else:
            yield target

    def result(self, fn: Fn) -> Symbols:
        """What calling a function gives: its returned expressions, else its annotation."""
        found: list[Symbol] = []
        for at in self.program.statements(fn):
            if isinstance(at.stmt, S.Return) and at.stmt.value is not None:
                found.extend(self.of(at.stmt.value, fn))
        if not found and fn.facts.returns is not None:
            found.extend(self.annotated(fn.facts.returns, fn))
        return tuple(found)

    def annotated(self, annotation: E.Expr, fn: Fn) -> Iterator[Symbol]:
        """The instances that an annotation promises."""
        for symbol in self.of(annotation, fn):
            if isinstance(symbol, ClassRef):
                yield Instance(symbol.klass)
            elif isinstance(symbol, External) and symbol.dotted.partition(".")[0] not in _TYPING:
                yield symbol

    def name(self, name: str, fn: Fn) -> Symbols:
        """What a name means inside a function: its own scope, those around it, star imports."""
        key = (fn, name)
        if key in self._names:
            return self._names[key]
        self._names[key] = ()
        found = unique(self._name(name, fn))
        self._names[key] = found
        return found

    def _name(self, name: str, fn: Fn) -> Iterator[Symbol]:
        here: Fn | None = fn
        while here is not None:
            bindings = self.program.scope(here).get(name)
            if bindings:
                for binding in bindings:
                    yield from self.binding(binding, here)
                return
            here = self.program.parent(here)
        starred = tuple(self._starred(name, fn.file.path, set()))
        yield from starred or (External(name),)

    def _starred(self, name: str, path: str, seen: set[str]) -> Iterator[Symbol]:
        """A name that a `from m import *` of the file brings in."""
        if path in seen:
            return
        seen.add(path)
        module = self.program.module(path)
        for imported in module.file.imports:
            if imported.name != "*":
                continue
            source = self.program.modules.of_import(imported, path)
            if source is None:
                continue
            bindings = self.program.scope(self.program.module(source)).get(name)
            if bindings:
                for binding in bindings:
                    yield from self.binding(binding, self.program.module(source))
                return
            yield from self._starred(name, source, seen)

    def binding(self, binding: Binding, fn: Fn) -> Symbols:
        """The symbols of one binding of a scope."""
        match binding.how:
            case "define":
                d = binding.definition
                return (Function(d),) if isinstance(d, Fn) else (ClassRef(d),) if d else ()
            case "import":
                return tuple(self._imported(binding.imported, fn)) if binding.imported else ()
            case "value" | "enter":
                return self._assigned(binding, fn)
            case "param":
                return tuple(self._param(binding.param, fn)) if binding.param else ()
            case _:
                return ()

    def _assigned(self, binding: Binding, fn: Fn) -> Symbols:
        found = self.of(binding.expr, fn) if binding.expr is not None else ()
        stmt = binding.at.stmt if binding.at else None
        if not found and isinstance(stmt, S.Assign) and stmt.annotation is not None:
            return tuple(self.annotated(stmt.annotation, fn))
        return found

    def _param(self, param: E.Param, fn: Fn) -> Iterator[Symbol]:
        klass = self.program.owner(fn)
        if klass is not None and fn.facts.params and fn.facts.params[0].name == param.name:
            static = any(
                isinstance(d, E.Name) and d.id == "staticmethod" for d in fn.facts.decorators
            )
            on_class = any(
                isinstance(d, E.Name) and d.id == "classmethod" for d in fn.facts.decorators
            )
            if not static:
                yield ClassRef(klass) if on_class else Instance(klass)
                return
        if param.kind in ("star", "double_star"):
            return
        if param.annotation is not None:
            yield from self.annotated(param.annotation, self.program.parent(fn) or fn)
        elif param.default is not None and not is_none(param.default):
            yield from self.of(param.default, self.program.parent(fn) or fn)
        elif self.passed is not None:
            for given, host in self.passed(fn, param)[:PASSED]:
                yield from self.of(given, host)

    def _imported(self, imported: Import, fn: Fn) -> Iterator[Symbol]:
        path = fn.file.path
        module = self.program.modules.of_import(imported, path)
        if imported.name is None:
            name = imported.module if imported.alias else imported.module.partition(".")[0]
            source = self.program.modules.find(name, path)
            yield ModuleRef(source) if source else External(name)
            return
        if module is not None:
            yield from self.module_member(module, imported.name)
            return
        base = "." * imported.level + imported.module
        inner = imported.module + "." + imported.name if imported.module else imported.name
        source = self.program.modules.find(inner, path) if not imported.level else None
        yield ModuleRef(source) if source else External(f"{base}.{imported.name}")

    def module_member(self, path: str, name: str) -> Symbols:
        """A name of a module of the target: bound there, starred in, or a submodule."""
        key = (path, name)
        if key not in self._members:
            self._members[key] = ()  # modules import each other in circles
            self._members[key] = self._module_member(path, name)
        return self._members[key]

    def _module_member(self, path: str, name: str) -> Symbols:
        module = self.program.module(path)
        bindings = self.program.scope(module).get(name)
        if bindings:
            return unique(s for b in bindings for s in self.binding(b, module))
        starred = tuple(self._starred(name, path, set()))
        if starred:
            return unique(starred)
        sub = self.program.modules.submodule(path, name)
        return (ModuleRef(sub),) if sub else ()

    def member(self, base: Symbol, attr: str) -> Symbols:
        """What `.attr` of a symbol is."""
        match base:
            case External():
                return (External(f"{base.dotted}.{attr}"),)
            case ModuleRef():
                return self.module_member(base.path, attr)
            case ClassRef() | Instance():
                return unique(self._class_member(base, attr))
            case _:
                return ()

    def _class_member(self, base: ClassRef | Instance, attr: str) -> Iterator[Symbol]:
        for klass in self.mro(base.klass):
            if attr in klass.methods:
                method = klass.methods[attr]
                if any(
                    isinstance(d, E.Name) and d.id in _PROPERTY for d in method.facts.decorators
                ):
                    yield from self.result(method)
                else:
                    yield Function(method, base.klass)
                return
            host = self.program.functions[klass.file.path][klass.facts.parent]
            found = [
                s
                for b in self.program.class_scope(klass).get(attr, ())
                for s in self.binding(b, host)
            ]
            found += [s for e, m in self.attribute_values(klass, attr) for s in self.of(e, m)]
            if found:
                yield from found
                return
        for dotted in self.external_bases(base.klass):
            yield External(f"{dotted}.{attr}")

    def attribute_values(self, klass: Klass, attr: str) -> list[tuple[E.Expr, Fn]]:
        """The expressions assigned to `self.attr` in the methods of a class, with the method."""
        return self._attributes(klass).get(attr, [])

    def _attributes(self, klass: Klass) -> dict[str, list[tuple[E.Expr, Fn]]]:
        if klass not in self._attribute_memo:
            self._attribute_memo[klass] = dict(_self_assignments(self.program, klass))
        return self._attribute_memo[klass]

    def bases(self, klass: Klass) -> list[Klass]:
        """The direct base classes in the target."""
        return [s.klass for s in self._base_symbols(klass) if isinstance(s, ClassRef)]

    def _base_symbols(self, klass: Klass) -> Iterator[Symbol]:
        host = self.program.functions[klass.file.path][klass.facts.parent]
        for base in klass.facts.bases:
            if base.name is None:
                yield from self.of(base.value, host)

    def mro(self, klass: Klass) -> list[Klass]:
        """The class and its bases in the target, nearest first, each once."""
        order, queue = [], [klass]
        while queue:
            here = queue.pop(0)
            if here not in order:
                order.append(here)
                queue.extend(self.bases(here))
        return order

    def external_bases(self, klass: Klass) -> list[str]:
        """Dotted names of base classes from other packages, of the whole hierarchy."""
        return [
            s.dotted
            for k in self.mro(klass)
            for s in self._base_symbols(k)
            if isinstance(s, External)
        ]

    def method(self, klass: Klass, name: str) -> Fn | None:
        """A method by name, inherited ones included."""
        return next((k.methods[name] for k in self.mro(klass) if name in k.methods), None)

    def dotted(self, expr: E.Expr, fn: Fn) -> frozenset[str]:
        """Every canonical dotted name an expression may have, in the target or outside it."""
        return frozenset(n for s in self.of(expr, fn) for n in self.names_of(s))

    def names_of(self, symbol: Symbol) -> Iterator[str]:
        """The import names under which a symbol is known."""
        match symbol:
            case External():
                yield symbol.dotted
            case Function(fn=fn):
                yield f"{self.program.modules.dotted_name(fn.file.path)}.{fn.facts.qualname}"
                yield from (f"{d}.{fn.name}" for d in self._outer_names(fn))
            case ClassRef(klass=klass) | Instance(klass=klass):
                yield f"{self.program.modules.dotted_name(klass.file.path)}.{klass.facts.qualname}"
                yield from self.external_bases(klass)
            case ModuleRef(path=path):
                yield self.program.modules.dotted_name(path)

    def _outer_names(self, fn: Fn) -> Iterator[str]:
        klass = self.program.owner(fn)
        if klass is not None:
            yield from self.external_bases(klass)


_TYPING = {
    "typing",
    "Optional",
    "Union",
    "List",
    "list",
    "Sequence",
    "Iterable",
    "Annotated",
    "collections",
}
_TRANSPARENT = {"copy.copy", "copy.deepcopy", "typing.cast", "asyncio.run", "asyncio.create_task"}
_PROPERTY = {"property", "cached_property"}


def _self_assignments(
    program: Program, klass: Klass
) -> Iterator[tuple[str, list[tuple[E.Expr, Fn]]]]:
    found: dict[str, list[tuple[E.Expr, Fn]]] = {}
    for fn in klass.methods.values():
        first = fn.facts.params[0].name if fn.facts.params else None
        for at in program.statements(fn):
            if isinstance(at.stmt, S.Assign) and at.stmt.value is not None:
                for target in at.stmt.targets:
                    if isinstance(target, E.Attr) and target.value == E.Name(
                        target.value.span, first or ""
                    ):
                        found.setdefault(target.attr, []).append((at.stmt.value, fn))
    yield from found.items()


def is_none(expr: E.Expr) -> bool:
    """Whether an expression is `None`."""
    return isinstance(expr, E.Const) and expr.value is None


def unique(symbols: Iterable[Symbol]) -> Symbols:
    """The symbols once each, order kept."""
    return tuple(dict.fromkeys(symbols))


def literal_name(call: E.Call, keyword: str) -> str | None:
    """The string given under a keyword, for names of agents and tools."""
    return next((string(a.value) for a in call.args if a.name == keyword), None)
