"""Places that fall back when a value is false, where only None was to mean "not given"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Located,
    S,
    code_kind,
    descend,
    dotted,
    last_name,
    params_of,
)

# Settings of a model or a run for which zero asks for something else than the default does.
ZERO_MATTERS = frozenset(
    "temperature top_p seed presence_penalty frequency_penalty repetition_penalty max_retries "
    "num_retries retries min_score score_threshold similarity_threshold threshold thinking_budget "
    "delay top_logprobs".split()
)
EMPTY_MATTERS = frozenset(
    "system_prompt instructions stop stop_sequences tools functions handoffs guardrails".split()
)
Kind = Literal["zero", "false", "empty", "override"]


class Fallback(Struct, frozen=True):
    """`value or default`, in one of the ways to write it. `param` is None for a key or field."""

    fn: Fn
    expr: E.Expr
    value: str
    default: E.Expr
    kind: Kind
    param: E.Param | None


def fallbacks(graph: AgentGraph) -> Iterator[Fallback]:
    """Every fallback outside tests that a meaningful false value would set off."""
    for fn in graph.program.every_function():
        if fn.index and code_kind(fn.file.path) != "test":
            for expr, value, default in _written(graph, fn):
                found = _judged(graph, fn, expr, value, default)
                if found is not None:
                    yield found


def _written(graph: AgentGraph, fn: Fn) -> Iterator[tuple[E.Expr, E.Expr, E.Expr]]:
    """`a or b`, `a if a else b`, and `if not a: a = b`."""
    for site in graph.program.shaped(fn, E.Logic, E.Choice):
        match site.expr:
            case E.Logic(op="or", values=(value, default)) if not _is_test(site.at, site.expr):
                yield site.expr, value, default
            case E.Choice(test=test, then=then, otherwise=otherwise) if _same(test, then):
                yield site.expr, test, otherwise
            case _:
                continue
    for at in graph.program.statements(fn):
        if type(at.stmt) is not S.If:
            continue
        match at.stmt:
            case S.If(
                test=E.Unary(op="not", operand=E.Name() as name) as test,
                body=(S.Assign(targets=(E.Name() as target,), value=other),),
                orelse=(),
            ) if name.id == target.id and other is not None:
                yield test, name, other
            case _:
                continue


def _is_test(at: Located, expr: E.Expr) -> bool:
    """Whether the `or` only decides a branch, as in `if a or b`."""
    if isinstance(at.stmt, (S.If, S.While, S.Assert)):
        return True
    own = getattr(at.stmt, "value", None)
    tests = [e.test for e in descend(own) if isinstance(e, E.Choice)] if own is not None else []
    return any(inner is expr for test in tests for inner in descend(test))


def _same(one: E.Expr, other: E.Expr) -> bool:
    name = dotted(one)
    return name is not None and name == dotted(other) and not isinstance(one, E.Call)


def _judged(
    graph: AgentGraph, fn: Fn, expr: E.Expr, value: E.Expr, default: E.Expr
) -> Fallback | None:
    name, param = _value(fn, value)
    kind = _kind(name, param) if name is not None else None
    if name is None or kind is None or _keeps_meaning(kind, default):
        return None
    if param is not None and not _may_be_none(graph, fn, value, param):
        return None
    return Fallback(fn, expr, name, default, kind, param)


def _value(fn: Fn, value: E.Expr) -> tuple[str | None, E.Param | None]:
    """The name of what is tested; a parameter, or `settings.get("temperature")`."""
    match value:
        case E.Name():
            param = next((p for p in fn.facts.params if p.name == value.id), None)
            return (value.id, param) if param is not None else (None, None)
        case E.Call(func=E.Attr(attr="get"), args=(key,)) if isinstance(key.value, E.Const):
            name = key.value.value
            return (name, None) if isinstance(name, str) and name in ZERO_MATTERS else (None, None)
        case _:
            return None, None


def _may_be_none(graph: AgentGraph, fn: Fn, value: E.Expr, param: E.Param) -> bool:
    """Whether None is what the parameter has when nobody gives it, here or further up."""
    if param.default is not None:
        return _is_none(param.default)
    return any(_is_none(p.default) for _, p in params_of(graph.tracer, value, fn))


def _is_none(default: E.Expr | None) -> bool:
    return isinstance(default, E.Const) and default.value is None


def _kind(name: str, param: E.Param | None) -> Kind | None:
    words = name.lower().split("_")
    types = _types(param)
    if "bool" in types and not types & {"str", "list", "dict"}:
        return "false"
    if "override" in words or "overrides" in words:
        return "override"
    if name.lower() in ZERO_MATTERS and not types & {"str"}:
        return "zero"
    return "empty" if name.lower() in EMPTY_MATTERS else None


def _types(param: E.Param | None) -> set[str]:
    if param is None or param.annotation is None:
        return set()
    return {last_name(e) or "" for e in descend(param.annotation)}


def _keeps_meaning(kind: Kind, default: E.Expr) -> bool:
    """Whether the default is itself what a false value asks for."""
    match default:
        case E.Const(value=bool() | int() | float() as value):
            return not value
        case E.Const(value=str() as text):
            return not text
        case E.Const():
            return kind != "zero"
        case E.Items(items=()) | E.Entries(entries=()):
            return True
        case E.Call(args=()):
            return kind in ("empty", "override") and last_name(default.func) in _EMPTY
        case _:
            return False


_EMPTY = frozenset({"list", "dict", "set", "tuple", "str"})
