"""What a name means: its bindings in scopes, imports, star imports, parameters and modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentcheck.graph.handles import Fn
from agentcheck.graph.hierarchy import Hierarchy
from agentcheck.graph.program import Program
from agentcheck.graph.scope import Binding
from agentcheck.graph.symbols import (
    ClassRef,
    External,
    Function,
    Instance,
    ModuleRef,
    Symbol,
    Symbols,
    is_none,
    unique,
)
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.facts import Import

PASSED = 4
TYPING = frozenset(
    "typing Optional Union List list Sequence Iterable Annotated collections".split()
)


class Names(Hierarchy):
    """Bindings to symbols; what an expression means is the resolver's part."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._names: dict[tuple[Fn, str], Symbols] = {}
        self._members: dict[tuple[str, str], Symbols] = {}
        self._externals: dict[str, Symbols] = {}
        # Set once calls are linked: what callers pass for a parameter that says nothing itself.
        self.passed: Callable[[Fn, E.Param], list[tuple[E.Expr, Fn]]] | None = None

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
            elif isinstance(symbol, External) and symbol.dotted.partition(".")[0] not in TYPING:
                yield symbol

    def name(self, name: str, fn: Fn) -> Symbols:
        """What a name means inside a function: its own scope, those around it, star imports."""
        key = (fn, name)
        known = self._names.get(key)
        if known is not None:
            return known
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
        yield from starred or self.external(name)

    def external(self, dotted: str) -> Symbols:
        """Something of another package: one object for each, for it is kept for many places."""
        known = self._externals.get(dotted)
        if known is None:
            known = self._externals[dotted] = (External(dotted),)
        return known

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
            found = self.module_member(module, imported.name)
            beside = not found and not imported.level and self._beside(imported.module, path)
            yield from (External(f"{imported.module}.{imported.name}"),) if beside else found
            return
        base = "." * imported.level + imported.module
        inner = imported.module + "." + imported.name if imported.module else imported.name
        source = self.program.modules.find(inner, path) if not imported.level else None
        yield ModuleRef(source) if source else External(f"{base}.{imported.name}")

    def _beside(self, module: str, path: str) -> bool:
        """Whether a module is found only beside a file of the same package.

        Started from the package's top it is an installed one, as `agents` in a package that has
        an `agents.py` of its own.
        """
        return not self.program.modules.from_top(module.partition(".")[0], path)

    def module_member(self, path: str, name: str) -> Symbols:
        """A name of a module of the target: bound there, starred in, or a submodule."""
        key = (path, name)
        known = self._members.get(key)
        if known is None:
            self._members[key] = ()  # modules import each other in circles
            known = self._members[key] = self._module_member(path, name)
        return known

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
