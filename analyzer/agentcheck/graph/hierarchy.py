"""Classes of the target: their bases, methods and the attributes their methods set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from agentcheck.graph.handles import Fn, Klass
from agentcheck.graph.program import Program
from agentcheck.graph.symbols import ClassRef, External, Symbol, Symbols
from agentcheck.model import expr as E
from agentcheck.model import stmt as S


class Hierarchy(ABC):
    """Questions about classes; what a base class expression means is the resolver's part."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._attribute_memo: dict[Klass, dict[str, list[tuple[E.Expr, Fn]]]] = {}
        self._mros: dict[Klass, list[Klass]] = {}
        self._outside: dict[Klass, list[str]] = {}

    @abstractmethod
    def of(self, expr: E.Expr, fn: Fn) -> Symbols:
        """The symbols an expression of a function may refer to."""

    @abstractmethod
    def settled(self, expr: E.Expr, fn: Fn) -> bool:
        """Whether `of` has its final answer for an expression, so that what follows may be kept."""

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
        known = self._mros.get(klass)
        if known is None:
            known = self._linear(klass)
            if all(map(self._is_settled, known)):
                self._mros[klass] = known
        return known

    def _linear(self, klass: Klass) -> list[Klass]:
        order, queue = [], [klass]
        while queue:
            here = queue.pop(0)
            if here not in order:
                order.append(here)
                queue.extend(self.bases(here))
        return order

    def _is_settled(self, klass: Klass) -> bool:
        """Whether the bases of a class are known once and for all: not while they are sought."""
        host = self.program.functions[klass.file.path][klass.facts.parent]
        return all(self.settled(b.value, host) for b in klass.facts.bases if b.name is None)

    def external_bases(self, klass: Klass) -> list[str]:
        """Dotted names of base classes from other packages, of the whole hierarchy."""
        known = self._outside.get(klass)
        if known is None:
            known = [
                s.dotted
                for k in self.mro(klass)
                for s in self._base_symbols(k)
                if isinstance(s, External)
            ]
            if klass in self._mros:
                self._outside[klass] = known
        return known

    def method(self, klass: Klass, name: str) -> Fn | None:
        """A method by name, inherited ones included."""
        return next((k.methods[name] for k in self.mro(klass) if name in k.methods), None)


def _self_assignments(
    program: Program, klass: Klass
) -> Iterator[tuple[str, list[tuple[E.Expr, Fn]]]]:
    found: dict[str, list[tuple[E.Expr, Fn]]] = {}
    for fn in klass.methods.values():
        first = fn.facts.params[0].name if fn.facts.params else None
        for at in program.statements(fn):
            if isinstance(at.stmt, S.Assign) and at.stmt.value is not None:
                for target in at.stmt.targets:
                    if isinstance(target, E.Attr) and _is_named(target.value, first):
                        found.setdefault(target.attr, []).append((at.stmt.value, fn))
    yield from found.items()


def _is_named(expr: E.Expr, name: str | None) -> bool:
    return isinstance(expr, E.Name) and expr.id == name
