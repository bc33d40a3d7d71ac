"""Exceptions by name: what a handler takes, and what it raises in turn."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.handles import Fn
from agentcheck.graph.resolve import ClassRef, External, Instance, Symbol
from agentcheck.graph.text import last_name
from agentcheck.graph.walk import statements_below
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.kind import code_kind

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

Names = frozenset[str]
WIDE = frozenset({"Exception", "BaseException"})
EXIT = frozenset({"SystemExit", "BaseException"})
# Bases that cannot be read off the target: json.JSONDecodeError and pydantic.ValidationError.
_BASES = {"JSONDecodeError": "ValueError", "ValidationError": "ValueError"}
_EXITS = frozenset({"sys.exit", "exit", "quit"})
DEPTH = 4


def takes(graph: AgentGraph, handler: S.Handler, fn: Fn, names: Names) -> bool | None:
    """Whether a handler takes one of the exceptions; None when its type cannot be told."""
    return True if handler.type is None else among(graph, handler.type, fn, names)


def among(graph: AgentGraph, kind: E.Expr, fn: Fn, names: Names) -> bool | None:
    """Whether a class, or a tuple of classes, holds one of the names; None when unknown."""
    found = [_kind(graph, k, fn, DEPTH) for k in _members(kind)]
    if any(name in names for group in found if group is not None for name in group):
        return True
    return None if None in found else False


def _members(kind: E.Expr) -> tuple[E.Expr, ...]:
    return kind.items if isinstance(kind, E.Items) else (kind,)


def _kind(graph: AgentGraph, kind: E.Expr, fn: Fn, depth: int) -> list[str] | None:
    """The names of the classes that an expression means; None when it cannot be told."""
    own = [n for s in graph.resolver.of(kind, fn) for n in _own_name(s)]
    if own:
        return [*own, last_name(kind) or ""]
    if depth == 0:
        return None
    found = list[str]()
    for origin in graph.tracer.of(kind, fn, up=1):
        if origin.steps or not isinstance(origin.expr, E.Items):
            return None
        for item in origin.expr.items:
            inner = _kind(graph, item, origin.fn, depth - 1)
            if inner is None:
                return None
            found.extend(inner)
    return found or None


def _own_name(symbol: Symbol) -> Iterator[str]:
    match symbol:
        case ClassRef(klass=klass) | Instance(klass=klass):
            yield klass.name
        case External(dotted=dotted):
            last = dotted.rpartition(".")[2]
            if not hasattr(builtins, dotted) or _builtin(last):
                yield last
        case _:
            return


def _builtin(name: str) -> Names:
    """The names of a builtin exception and of its bases."""
    found = getattr(builtins, name, None)
    if not (isinstance(found, type) and issubclass(found, BaseException)):
        return frozenset()
    return frozenset(c.__name__ for c in found.__mro__ if c is not object)


def with_bases(names: Iterable[str]) -> Names:
    """Exception names with those of the bases that Python and the known packages give them."""
    given = set(names)
    given |= {_BASES[n] for n in given if n in _BASES}
    return frozenset(given).union(*(_builtin(n) for n in given))


def raised_on(graph: AgentGraph, handler: S.Handler, fn: Fn, names: Names) -> Names | None:
    """What leaves a handler that raises in every case; None when it does not."""
    last = handler.body[-1] if handler.body else None
    if last is None or _leaves(handler.body[:-1]):
        return None
    if isinstance(last, S.Do) and isinstance(last.value, E.Call):
        return EXIT if graph.resolver.dotted(last.value.func, fn) & _EXITS else None
    if not isinstance(last, S.Raise):
        return None
    if last.exc is None or _is_caught(last.exc, handler):
        return names
    return names_of(graph, last.exc, fn) or names


def _is_caught(exc: E.Expr, handler: S.Handler) -> bool:
    base = exc.func.value if isinstance(exc, E.Call) and isinstance(exc.func, E.Attr) else exc
    return isinstance(base, E.Name) and base.id == handler.name


def _leaves(body: tuple[S.Stmt, ...]) -> bool:
    """Whether the statements may return, or go on with a loop, before the end."""
    return any(
        isinstance(s, (S.Return, S.Jump)) and getattr(s, "kind", "") != "pass"
        for stmt in body
        for s in (stmt, *statements_below(stmt))
    )


def names_of(graph: AgentGraph, exc: E.Expr, fn: Fn) -> Names:
    """The names under which what a `raise` statement raises can be caught; empty when unknown."""
    found = set[str]()
    for symbol in graph.resolver.of(exc, fn):
        match symbol:
            case ClassRef(klass=klass) | Instance(klass=klass):
                found |= {k.name for k in graph.resolver.mro(klass)}
                bases = graph.resolver.external_bases(klass)
                found |= {b.rpartition(".")[2] for b in bases} | WIDE
            case External(dotted=dotted):
                found |= {dotted.rpartition(".")[2]}
                found |= WIDE if not _builtin(dotted) else set()
            case _:
                continue
    return with_bases(found)


def caught_names(graph: AgentGraph, near: Fn) -> Names:
    """The exception classes of a function's program that a handler or an `isinstance` asks for by
    name."""
    program = graph.program
    own = {k.name for path in program.mates(near.file.path) for k in program.classes[path]}
    asked = {
        last_name(kind) or ""
        for fn in program.functions_near(near)
        if code_kind(fn.file.path) != "test"
        for asking in (*_handled(graph, fn), *_tested(graph, fn))
        for kind in _members(asking)
    }
    return frozenset(asked & own)


def _handled(graph: AgentGraph, fn: Fn) -> Iterator[E.Expr]:
    for at in graph.program.statements(fn):
        if isinstance(at.stmt, S.Try):
            yield from (h.type for h in at.stmt.handlers if h.type is not None)


def _tested(graph: AgentGraph, fn: Fn) -> Iterator[E.Expr]:
    """What `isinstance` asks for: exceptions also come back as values, from `gather` for one."""
    for _, call in graph.program.calls(fn):
        if isinstance(call.func, E.Name) and call.func.id == "isinstance" and len(call.args) > 1:
            yield call.args[1].value
