"""What an expression means: names to definitions, across files, bounded and memoised."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.graph.handles import Fn
from agentcheck.graph.names import TYPING, Names
from agentcheck.graph.program import Program
from agentcheck.graph.symbols import (
    ClassRef,
    External,
    Function,
    Instance,
    ModuleRef,
    Symbol,
    Symbols,
    unique,
)
from agentcheck.model import expr as E

__all__ = [
    "ClassRef",
    "External",
    "Function",
    "Instance",
    "ModuleRef",
    "Resolver",
    "Symbol",
    "Symbols",
    "unique",
]
DEPTH = 24


_TRANSPARENT = {"copy.copy", "copy.deepcopy", "typing.cast", "asyncio.run", "asyncio.create_task"}
# Methods that give the graph which they are called on: langgraph 1.2.24 graph/state.py.
_CHAINED = frozenset(
    "add_node add_edge add_conditional_edges add_sequence set_entry_point set_finish_point "
    "set_conditional_entry_point set_node_defaults".split()
)
_PROPERTY = {"property", "cached_property"}


class Resolver(Names):
    """Answers what an expression refers to. Nothing found is an empty tuple, never a guess."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._memo: dict[tuple[Fn, int], Symbols] = {}
        self._busy: set[tuple[Fn, int]] = set()
        self._depth = 0
        self._dotted: dict[Symbols, frozenset[str]] = {}

    @property
    def idle(self) -> bool:
        """Whether nothing is being sought, so that an answer is whole and may be kept."""
        return not self._busy

    def settled(self, expr: E.Expr, fn: Fn) -> bool:
        """Whether the answer for an expression is final."""
        return (fn, id(expr)) in self._memo

    def of(self, expr: E.Expr, fn: Fn) -> Symbols:
        """The symbols an expression of a function may refer to."""
        key = (fn, id(expr))
        known = self._memo.get(key)
        if known is not None:
            return known
        if key in self._busy or self._depth > DEPTH:
            return ()
        self._busy.add(key)
        self._depth += 1
        try:
            found = self._of(expr, fn)
        finally:
            self._busy.discard(key)
            self._depth -= 1
        self._memo[key] = found
        return found

    def _of(self, expr: E.Expr, fn: Fn) -> Symbols:
        if type(expr) is E.Name:
            return self.name(expr.id, fn)
        if type(expr) is E.Attr:
            bases, attr = self.of(expr.value, fn), expr.attr
            if len(bases) == 1:
                return self.member(bases[0], attr)
            return unique(s for base in bases for s in self.member(base, attr))
        if type(expr) is E.Call:
            return unique(self._called(expr, fn))
        return unique(self._among(expr, fn))

    def _among(self, expr: E.Expr, fn: Fn) -> Iterator[Symbol]:
        match expr:
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
            wraps = isinstance(base, External) and base.dotted.partition(".")[0] in TYPING
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
        elif same := _chained(target.dotted):
            yield External(same)
        elif target.dotted == "super":
            klass = self.program.self_class(fn)
            yield from (Instance(base) for base in self.bases(klass)) if klass else ()
        else:
            yield target

    def member(self, base: Symbol, attr: str) -> Symbols:
        """What `.attr` of a symbol is."""
        if type(base) is External:
            return self.external(f"{base.dotted}.{attr}")
        if type(base) is ModuleRef:
            return self.module_member(base.path, attr)
        if type(base) is ClassRef or type(base) is Instance:
            return unique(self._class_member(base, attr))
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

    def dotted(self, expr: E.Expr, fn: Fn) -> frozenset[str]:
        """Every canonical dotted name an expression may have, in the target or outside it."""
        symbols = self.of(expr, fn)
        known = self._dotted.get(symbols)
        if known is None:
            known = frozenset(n for s in symbols for n in self.names_of(s))
            if self.idle:
                self._dotted[symbols] = known
        return known

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


def _chained(dotted: str) -> str | None:
    """The object that a method gives back, where it gives the one that it is called on."""
    owner, _, method = dotted.rpartition(".")
    builds = method in _CHAINED and owner.endswith("Graph")
    return owner if builds or (method == "with_config" and owner.endswith(".compile")) else None
