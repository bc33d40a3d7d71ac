"""The whole target as definitions and scopes, before anything is resolved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter

from agentcheck.graph.handles import Definition, Fn, Klass, Located, Site
from agentcheck.graph.layout import Layout, Own
from agentcheck.graph.modules import Modules
from agentcheck.graph.scope import Bindings, bind, statements_of
from agentcheck.graph.text import last_name
from agentcheck.graph.walk import COMPOUND, located, sites, statements_below
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.facts import FileFacts

_NTH = attrgetter("nth")


class Program:
    """Definitions by file, their scopes, and an index of calls by the callee's last name."""

    def __init__(self, files: Sequence[FileFacts], layout: Layout) -> None:
        self.layout = layout
        self.missed: set[str] = set()  # files of the target that were asked for and are not held
        self.files = Own({f.path: f for f in files}, layout, self.missed)
        self.modules = Modules(files, layout)
        functions = {f.path: tuple(Fn(f, i, x) for i, x in enumerate(f.functions)) for f in files}
        classes = {f.path: tuple(Klass(f, i, x) for i, x in enumerate(f.classes)) for f in files}
        self.functions = Own(functions, layout, self.missed)
        self.classes = Own(classes, layout, self.missed)
        self._mates: dict[str, list[str]] = {}
        self._definitions: dict[int, Definition] = {}
        self._scopes: dict[Fn, Bindings] = {}
        self._statements: dict[Fn, list[Located]] = {}
        self._sites: dict[Fn, list[Site]] = {}
        self._shapes: dict[Fn, dict[type, list[Site]]] = {}
        self._calls: dict[Fn, list[tuple[Site, E.Call]]] = {}
        self._alias_memo: dict[str, dict[str, str]] = {}
        self.appends: dict[Fn, dict[str, list[E.Expr]]] = {}
        for path in self.files:
            self._adopt(path)

    def _adopt(self, path: str) -> None:
        """Map every `Define` to its handle and give classes their methods."""
        functions, classes = self.functions[path], self.classes[path]
        for klass in classes:
            for stmt in _defines(klass.facts.body):
                if stmt.kind == "function":
                    klass.methods[stmt.name] = functions[stmt.index]
                self._define(stmt, functions, classes)
        for fn in functions:
            for stmt in _defines(fn.facts.body):
                self._define(stmt, functions, classes)

    def _define(
        self, stmt: S.Define, functions: tuple[Fn, ...], classes: tuple[Klass, ...]
    ) -> None:
        pool: tuple[Definition, ...] = functions if stmt.kind == "function" else classes
        self._definitions[id(stmt)] = pool[stmt.index]

    def mates(self, path: str) -> list[str]:
        """The files of the program that a file belongs to."""
        own = self.modules.component(path)
        if own not in self._mates:
            self._mates[own] = [f for f in self.files if self.modules.component(f) == own]
        return self._mates[own]

    def functions_near(self, fn: Fn) -> Iterator[Fn]:
        """All functions of the program that one belongs to, module bodies included."""
        for path in self.mates(fn.file.path):
            yield from self.functions[path]

    def of(self, fn: Fn) -> str:
        """The program that a function belongs to, by the first of its files."""
        return self.modules.component(fn.file.path)

    def together(self, one: Fn, other: Fn) -> bool:
        """Whether two functions are of one program, by the imports of their files."""
        return one.file is other.file or self.of(one) == self.of(other)

    def module(self, path: str) -> Fn:
        """The body of a file as a function."""
        return self.functions[path][0]

    def every_function(self) -> Iterator[Fn]:
        """All functions of all files, module bodies included."""
        for group in self.functions.values():
            yield from group

    def every_class(self) -> Iterator[Klass]:
        """All classes of all files."""
        for group in self.classes.values():
            yield from group

    def parent(self, fn: Fn) -> Fn | None:
        """The function around a function; the module's body for a method or a plain function."""
        return None if fn.facts.parent is None else self.functions[fn.file.path][fn.facts.parent]

    def owner(self, fn: Fn) -> Klass | None:
        """The class a method belongs to."""
        return None if fn.facts.owner is None else self.classes[fn.file.path][fn.facts.owner]

    def self_class(self, fn: Fn) -> Klass | None:
        """The class whose instance `self` is inside a function, also in one nested in a method."""
        here: Fn | None = fn
        while here is not None:
            klass = self.owner(here)
            if klass is not None:
                return klass
            here = self.parent(here)
        return None

    def is_self(self, name: E.Name, fn: Fn) -> bool:
        """Whether a name is the object that a method around it is called on."""
        here: Fn | None = fn
        while here is not None:
            if here.facts.owner is not None:
                return bool(here.facts.params) and here.facts.params[0].name == name.id
            here = self.parent(here)
        return False

    def statements(self, fn: Fn) -> list[Located]:
        """Every statement of a function, in source order, nested definitions left closed."""
        known = self._statements.get(fn)
        if known is None:
            known = self._statements[fn] = statements_of(fn)
        return known

    def sites(self, fn: Fn) -> list[Site]:
        """Every expression of a function."""
        known = self._sites.get(fn)
        if known is None:
            known = self._sites[fn] = sites(self._with_classes(fn))
        return known

    def shaped(self, fn: Fn, *kinds: type[E.Expr]) -> Sequence[Site]:
        """The expressions of a function of some kinds, in order."""
        shapes = self._shapes.get(fn)
        if shapes is None:
            shapes = self._shapes[fn] = _by_shape(self.sites(fn))
        if len(kinds) == 1:
            return shapes.get(kinds[0], ())
        held = [shapes[kind] for kind in kinds if kind in shapes]
        if len(held) < 2:
            return held[0] if held else ()
        return sorted(chain.from_iterable(held), key=_NTH)

    def _with_classes(self, fn: Fn) -> Iterator[Located]:
        """A function's statements and those of class bodies that run as part of it."""
        for at in self.statements(fn):
            yield at
            if isinstance(at.stmt, S.Define) and at.stmt.kind == "class":
                klass = self.classes[fn.file.path][at.stmt.index]
                yield from located(fn, klass.facts.body, at.up)

    def calls(self, fn: Fn) -> list[tuple[Site, E.Call]]:
        """Every call of a function."""
        known = self._calls.get(fn)
        if known is None:
            known = self._calls[fn] = [(site, site.call) for site in self.shaped(fn, E.Call)]
        return known

    def scope(self, fn: Fn) -> Bindings:
        """What each name of the function's own scope is bound to."""
        known = self._scopes.get(fn)
        if known is None:
            inline = {id(site.at) for site in self.shaped(fn, E.Walrus, E.Comp)}
            known = bind(fn, self.statements(fn), self._definitions, inline)
            self._scopes[fn] = known
        return known

    def class_scope(self, klass: Klass) -> Bindings:
        """What each name of a class body is bound to."""
        inside = self._class_scopes.get(klass)
        if inside is None:
            host = self.functions[klass.file.path][klass.facts.parent]
            inside = bind_body(host, located(host, klass.facts.body), self._definitions)
            self._class_scopes[klass] = inside
        return inside

    @cached_property
    def _class_scopes(self) -> dict[Klass, Bindings]:
        return {}

    @cached_property
    def call_index(self) -> dict[str, list[Site]]:
        """Every call of the program by the last name of what is called, import aliases undone."""
        index: dict[str, list[Site]] = {}
        for fn in self.every_function():
            aliases = self._aliases(fn.file)
            for site, call in self.calls(fn):
                name = last_name(call.func)
                if name:
                    index.setdefault(name, []).append(site)
                    if name in aliases and isinstance(call.func, (E.Name, E.Index)):
                        index.setdefault(aliases[name], []).append(site)
        for attribute, names in self._kept_functions().items():
            for name in names - {attribute}:
                index.setdefault(name, []).extend(index.get(attribute, ()))
        return index

    @cached_property
    def value_index(self) -> dict[str, list[Site]]:
        """Every place that has the name of a function of the target and does not call it."""
        known = {fn.name for fn in self.every_function()}
        index: dict[str, list[Site]] = {}
        for fn in self.every_function():
            callees = {id(call.func) for _, call in self.calls(fn)}
            for site in self.shaped(fn, E.Name, E.Attr):
                expr = site.expr
                name = last_name(expr)
                if name in known and name is not None and id(expr) not in callees:
                    index.setdefault(name, []).append(site)
        return index

    def _kept_functions(self) -> dict[str, set[str]]:
        """The attributes that functions of the target are kept under: `self.ask = ask_model`."""
        known = {fn.name for fn in self.every_function()}
        kept: dict[str, set[str]] = {}
        for fn in self.every_function():
            for at in self.statements(fn):
                value = at.stmt.value if type(at.stmt) is S.Assign else None
                if type(at.stmt) is S.Assign and (type(value) is E.Name or type(value) is E.Attr):
                    name = last_name(value)
                    for target in at.stmt.targets:
                        if name in known and name is not None and isinstance(target, E.Attr):
                            kept.setdefault(target.attr, set()).add(name)
        return kept

    def _aliases(self, file: FileFacts) -> dict[str, str]:
        """What `from m import name as alias` and `import a.b as alias` rename in a file."""
        if file.path not in self._alias_memo:
            self._alias_memo[file.path] = {
                i.alias: i.name or i.module.rpartition(".")[2]
                for i in file.imports
                if i.alias and i.alias != i.name
            }
        return self._alias_memo[file.path]

    @cached_property
    def methods_named(self) -> dict[str, list[Fn]]:
        """Every method of the program by name."""
        index: dict[str, list[Fn]] = {}
        for klass in self.every_class():
            for name, fn in klass.methods.items():
                index.setdefault(name, []).append(fn)
        return index


def bind_body(host: Fn, statements: list[Located], definitions: dict[int, Definition]) -> Bindings:
    """The bindings of a class body: like a function's, without parameters."""
    found = bind(host, statements, definitions)
    params = {p.name for p in host.facts.params}
    return {n: [b for b in bs if not (n in params and b.how == "param")] for n, bs in found.items()}


def _by_shape(sites: Iterable[Site]) -> dict[type, list[Site]]:
    """The expressions of a function by their kind."""
    shapes: dict[type, list[Site]] = defaultdict(list)
    for site in sites:
        shapes[type(site.expr)].append(site)
    return shapes


def _defines(body: Iterable[S.Stmt]) -> Iterator[S.Define]:
    for stmt in body:
        if isinstance(stmt, S.Define):
            yield stmt
        elif type(stmt) in COMPOUND:
            yield from (s for s in statements_below(stmt) if isinstance(s, S.Define))
