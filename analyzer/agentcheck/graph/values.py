"""Every value that an expression may have as a limit, followed through names, callers, classes."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from agentcheck.graph.handles import Fn, Klass
from agentcheck.graph.narrow import NONE, ZERO, held_by, rebinds_when_none, replaced_when_none
from agentcheck.graph.origins import Tracer
from agentcheck.graph.reaching import reaching
from agentcheck.graph.resolve import ClassRef, Instance, ModuleRef
from agentcheck.graph.scope import Binding
from agentcheck.graph.slots import slot
from agentcheck.graph.text import argument, string
from agentcheck.graph.worth import INFINITE, Limit, Worth, combined, least, number_worth, only
from agentcheck.model import expr as E
from agentcheck.model.kind import code_kind

MANY = 24
DEPTH = 30


class At(Struct, frozen=True):
    """How an expression is looked at: what it cannot be here, and how far callers are followed."""

    fn: Fn
    up: int
    drop: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()

    def without(self, *what: str) -> At:
        """The same, where the value cannot be None or zero."""
        return replace(self, drop=self.drop | set(what))


class Values(Struct):
    """Follows an expression to every value it may have as a limit."""

    tracer: Tracer
    params: dict[tuple[Fn, str], tuple[E.Param, frozenset[str]]] = field(default_factory=dict)
    _busy: set[tuple[int, Fn]] = field(default_factory=set)

    def of(self, expr: E.Expr, at: At) -> list[Limit]:
        """Every value, those left out that the code around cannot let through."""
        key = (id(expr), at.fn)
        if key in self._busy or len(self._busy) > DEPTH:
            return []
        self._busy.add(key)
        name = slot(expr)
        here = at.without(NONE) if name is not None and name in at.known else at
        try:
            return [x for x in self._of(expr, here) if x.worth not in here.drop][:MANY]
        finally:
            self._busy.discard(key)

    def _of(self, expr: E.Expr, at: At) -> Iterator[Limit]:
        match expr:
            case E.Const():
                yield self._limit(*number_worth(expr.value), expr, at)
            case E.Name():
                yield from self._name(expr, at)
            case E.Attr():
                yield from self._attr(expr, at)
            case E.Logic():
                ored = at.without(NONE, ZERO) if expr.op == "or" else at
                for value in expr.values[:-1]:
                    yield from self.of(value, ored)
                yield from self.of(expr.values[-1], at)
            case E.Choice(test=test):
                yes, no = (
                    replace(at, known=at.known | held_by(test, truth=t)) for t in (True, False)
                )
                yield from (*self.of(expr.then, yes), *self.of(expr.otherwise, no))
            case E.Await() | E.Walrus() | E.Star():
                yield from self.of(expr.value, at)
            case E.Binary() | E.Unary():
                yield from self._computed(expr, at)
            case E.Call():
                yield from self._call(expr, at)
            case _:
                yield from self._traced(expr, at)

    def _limit(self, worth: Worth, number: float | None, expr: E.Expr, at: At) -> Limit:
        return Limit(worth, number, at.fn.place(expr.span), at.fn, expr)

    def _unknown(self, expr: E.Expr, at: At) -> Limit:
        return self._limit("unknown", None, expr, at)

    def _traced(self, expr: E.Expr, at: At) -> Iterator[Limit]:
        """What only the tracer can follow: keys of displays, elements."""
        found = [
            self.of(o.expr, replace(at, fn=o.fn, known=frozenset()))
            for o in self.tracer.of(expr, at.fn, at.up)
            if isinstance(o.expr, E.Const) and not o.steps
        ]
        yield from [x for xs in found for x in xs] or [self._unknown(expr, at)]

    def _computed(self, expr: E.Binary | E.Unary, at: At) -> Iterator[Limit]:
        if isinstance(expr, E.Unary):
            found = self.of(expr.operand, at.without(NONE))
            values = [
                (x.worth, -x.number if x.number and expr.op == "-" else x.number) for x in found
            ]
        else:
            left = self.of(expr.left, at.without(NONE))
            right = self.of(expr.right, at.without(NONE))
            values = [combined(expr.op, a, b) for a in left[:6] for b in right[:6]]
        yield from [self._limit(w, n, expr, at) for w, n in dict.fromkeys(values)] or [
            self._unknown(expr, at)
        ]

    def _call(self, call: E.Call, at: At) -> Iterator[Limit]:
        names = self.tracer.resolver.dotted(call.func, at.fn)
        plain = [a.value for a in call.args if a.name is None and not a.star]
        default = argument(call, "default", 0 if names & _FIELDS else 1)
        if names & {"min"} and len(plain) > 1:
            yield from least([self.of(value, at) for value in plain])
        elif names & {"max"} and len(plain) > 1:
            yield from (x for value in plain for x in self.of(value, at.without(NONE)))
        elif names & _NUMBERS and plain:
            yield from self._number(plain[0], call, at)
        elif default is not None and names & (_FIELDS | _LOOKUPS):
            yield from self.of(default, at)
        else:
            yield self._unknown(call, at)

    def _number(self, inner: E.Expr, call: E.Call, at: At) -> Iterator[Limit]:
        """`int("25")`, `float("inf")`, `int(os.environ.get(name, "25"))`."""
        for found in self.of(inner, at.without(NONE)):
            text = string(found.expr)
            try:
                worth, number = number_worth(float(text)) if text is not None else only(found)
            except ValueError:
                worth, number = "unknown", None
            yield (
                replace(found, worth=worth, number=number)
                if text is None
                else self._limit(worth, number, call, at)
            )

    def _name(self, expr: E.Name, at: At) -> Iterator[Limit]:
        here: Fn | None = at.fn
        while here is not None:
            bindings = self.tracer.program.scope(here).get(expr.id)
            if bindings:
                able = reaching(bindings, expr.where) if here is at.fn else bindings
                for binding in able[:MANY]:
                    inside = replace(at, fn=here, known=frozenset())
                    if replaced_when_none(self.tracer.program, here, binding, expr):
                        inside = inside.without(NONE)
                    yield from self._binding(binding, expr, inside)
                return
            here = self.tracer.program.parent(here)
        yield self._unknown(expr, at)

    def _binding(self, binding: Binding, expr: E.Expr, at: At) -> Iterator[Limit]:
        match binding.how:
            case "param" if binding.param is not None:
                yield from self._param(binding.param, expr, at)
            case "value" if binding.expr is not None:
                yield from self.of(binding.expr, at)
            case "import" if binding.imported is not None:
                source = self.tracer.program.modules.of_import(binding.imported, at.fn.file.path)
                if source is None or binding.imported.name is None:
                    yield self._external(expr, at)
                else:
                    yield from self._exported(source, binding.imported.name, expr, at)
            case "augmented":
                return
            case _:
                yield self._unknown(expr, at)

    def _external(self, expr: E.Expr, at: At) -> Limit:
        names = self.tracer.resolver.dotted(expr, at.fn)
        worth: Worth = "infinite" if names & INFINITE else "unknown"
        return self._limit(worth, None, expr, at)

    def _exported(self, path: str, name: str, expr: E.Expr, at: At) -> Iterator[Limit]:
        module = self.tracer.program.module(path)
        bindings = self.tracer.program.scope(module).get(name, [])
        if not bindings:
            yield self._external(expr, at)
        for binding in bindings[:MANY]:
            yield from self._binding(binding, expr, replace(at, fn=module, known=frozenset()))

    def _attr(self, expr: E.Attr, at: At) -> Iterator[Limit]:
        found = list[Limit]()
        for symbol in self.tracer.resolver.of(expr.value, at.fn):
            match symbol:
                case ModuleRef(path=path):
                    found += self._exported(path, expr.attr, expr, at)
                case Instance(klass=klass) | ClassRef(klass=klass):
                    found += self._member(klass, expr, at)
                case _:
                    continue
        yield from found
        if not found:
            external = self._external(expr, at)
            yield from [external] if external.worth == "infinite" else self._traced(expr, at)

    def _member(self, klass: Klass, expr: E.Attr, at: At) -> Iterator[Limit]:
        """What the methods of a class put into an attribute, else its value in the class body."""
        resolver, program = self.tracer.resolver, self.tracer.program
        for owner in resolver.mro(klass):
            values = resolver.attribute_values(owner, expr.attr)
            base = at.without(NONE) if _set_when_none(self.tracer, owner, expr.attr) else at
            for value, method in values[:MANY]:
                yield from self.of(value, replace(base, fn=method, known=frozenset()))
            if values:
                return
            fields = [b for b in program.class_scope(owner).get(expr.attr, []) if b.expr]
            host = program.functions[owner.file.path][owner.facts.parent]
            for binding in fields:
                yield from self._field(klass, owner, binding, expr, replace(base, fn=host))
            if fields:
                return

    def _field(
        self, klass: Klass, owner: Klass, binding: Binding, expr: E.Attr, at: At
    ) -> Iterator[Limit]:
        """A field of the class body: what constructions pass for it, and its default."""
        missing = True
        if binding.expr is not None and "__init__" not in owner.methods:
            program = self.tracer.program
            host = program.functions[klass.file.path][klass.facts.parent]
            calls = program.call_index.get(klass.name, [])
            sites = [site for site in calls if program.together(site.fn, host)][:MANY]
            given = [
                (argument(s.expr, expr.attr), s.fn) for s in sites if isinstance(s.expr, E.Call)
            ]
            for value, fn in given:
                if value is not None:
                    yield from self.of(value, replace(at, fn=fn, known=frozenset()))
            missing = not given or any(value is None for value, _ in given)
        if missing and binding.expr is not None:
            yield from self.of(binding.expr, at)

    def _param(self, param: E.Param, expr: E.Expr, at: At) -> Iterator[Limit]:
        """What callers outside tests pass, with the default where one of them leaves it."""
        self.params.setdefault((at.fn, param.name), (param, at.drop))
        calls, found, missing, hidden = self.tracer.calls, list[Limit](), False, False
        for site in calls.callers(at.fn)[:MANY] if at.up else ():
            if code_kind(site.fn.file.path) == "test":
                continue
            given = calls.argument(site, at.fn, param)
            if given is not None:
                found += self.of(given, replace(at, fn=site.fn, up=at.up - 1, known=frozenset()))
            elif calls.spreads(site):
                hidden = True
            else:
                missing = True
        if hidden:
            found.append(self._unknown(expr, at))
        yield from found
        if not found or missing:
            yield from self.default(param, at)

    def default(self, param: E.Param, at: At) -> Iterator[Limit]:
        """What a parameter is worth when nobody passes it."""
        if param.default is None:
            yield self._unknown(E.Name(param.where, param.name), at)
            return
        host = self.tracer.program.parent(at.fn) or at.fn
        for found in self.of(param.default, replace(at, fn=host, known=frozenset())):
            yield replace(found, place=at.fn.place(param.span), fn=at.fn, expr=param.default)


def _set_when_none(tracer: Tracer, klass: Klass, attr: str) -> bool:
    return any(
        rebinds_when_none(at.stmt, f"{method.facts.params[0].name}.{attr}")
        for method in klass.methods.values()
        if method.facts.params
        for at in tracer.program.statements(method)
    )


_FIELDS = {"pydantic.Field", "dataclasses.field", "attrs.field", "attr.ib"}
_LOOKUPS = {"os.environ.get", "os.getenv"}
_NUMBERS = {"int", "float", "abs", "round", "decimal.Decimal", "math.ceil", "math.floor"}
