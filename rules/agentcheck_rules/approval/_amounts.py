"""Amounts of money that a model chooses, and what they are compared with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    Tool,
    descend,
    dotted,
    is_amount,
    last_name,
    read_key,
    string,
)

_ORDER = frozenset({"<", "<=", ">", ">="})
_BOUNDS = frozenset({"le", "lt", "multiple_of", "max_value", "maximum", "max"})
_TEXTS = frozenset({"str", "bool", "date", "datetime"})
_DEPTH = 2


class Amount(Struct, frozen=True):
    """A parameter of a tool that says how much; `limit` is what bounds it, if anything does."""

    tool: Tool
    fn: Fn
    param: E.Param
    limit: Place | None

    @property
    def place(self) -> Place:
        """The parameter as a place."""
        return self.fn.place(self.param.span)


def amounts(graph: AgentGraph, tool: Tool, fn: Fn) -> Iterator[Amount]:
    """The parameters of a tool by which the model says how much money moves."""
    for param in fn.facts.params:
        if is_amount(param.name) and not _is_text(param):
            limit = _typed(fn, param) or _compared(graph, fn, {param.name}, _DEPTH)
            yield Amount(tool, fn, param, limit)


def _is_text(param: E.Param) -> bool:
    return isinstance(param.annotation, E.Name) and param.annotation.id in _TEXTS - {"str"}


def _typed(fn: Fn, param: E.Param) -> Place | None:
    """`Annotated[float, Field(le=500)]`, `confloat(le=500)`, `Literal[5, 10]`, or an enum."""
    shown = [e for e in (param.annotation, param.default) if e is not None]
    for whole in shown:
        for expr in descend(whole):
            if isinstance(expr, E.Call) and any(a.name in _BOUNDS for a in expr.args):
                return fn.place(expr.span)
            if isinstance(expr, E.Index) and last_name(expr.value) == "Literal":
                return fn.place(expr.span)
    return None


def _compared(graph: AgentGraph, fn: Fn, names: set[str], depth: int) -> Place | None:
    """Where an amount, or what was made of it, is compared with something other than zero."""
    known = _derived(graph, fn, names)
    for site in graph.program.sites(fn):
        if _bounds(site.expr, known):
            return site.place
    for site, _ in graph.program.calls(fn) if depth else ():
        for callee in graph.calls.callees(site):
            given = graph.calls.bound(site, callee)
            inner = {name for name, value in given.items() if _mentions(value, known)}
            found = _compared(graph, callee, inner, depth - 1) if inner else None
            if found is not None:
                return found
    return None


def _derived(graph: AgentGraph, fn: Fn, names: set[str]) -> set[str]:
    """The names with those that are assigned something made of them: `cents = amount * 100`."""
    known = set(names)
    for name, bindings in graph.program.scope(fn).items():
        if any(b.how == "value" and b.expr and _mentions(b.expr, known) for b in bindings):
            known.add(name)
    return known


def _mentions(expr: E.Expr, names: set[str]) -> bool:
    return any(isinstance(e, E.Name) and e.id in names for e in descend(expr))


def _bounds(expr: E.Expr, names: set[str]) -> bool:
    match expr:
        case E.Compare(left=left, ops=ops, rights=rights) if _ORDER & set(ops):
            sides = (left, *rights)
            named = any(_mentions(s, names) for s in sides)
            return named and any(not _mentions(s, names) and not _is_zero(s) for s in sides)
        case E.Compare(left=left, ops=("in" | "not in",)):
            return _mentions(left, names)
        case E.Call(func=func, args=args) if last_name(func) in ("min", "clamp", "clip"):
            return any(_mentions(a.value, names) for a in args)
        case E.Call(func=func, args=args) if _checks(last_name(func) or ""):
            return any(_mentions(a.value, names) for a in args)
        case _:
            return False


def _checks(name: str) -> bool:
    """Whether a call is named for a limit: `check_limit`, `ensure_within_budget`."""
    return bool(re.search(r"limit|budget|cap(_|$)|quota|threshold|validate|policy|approv", name))


def _is_zero(expr: E.Expr) -> bool:
    match expr:
        case E.Const(value=value):
            return isinstance(value, (int, float)) and value <= 1
        case E.Unary(operand=operand):
            return isinstance(operand, E.Const)
        case E.Call(args=args) if last_name(expr.func) in ("Decimal", "float", "int"):
            return bool(args) and (_is_zero(args[0].value) or string(args[0].value) in ("0", "0.0"))
        case _:
            return False


def compared_outside(graph: AgentGraph, amount: Amount) -> Place | None:
    """Where other code of the same process compares a value read under the parameter's name."""
    bodies = {tool.fn for tool in graph.tools}
    for path in sorted(graph.program.modules.together(amount.fn.file.path)):
        for fn in graph.program.functions[path]:
            if fn in bodies:
                continue
            for site in graph.program.shaped(fn, E.Compare):
                if isinstance(site.expr, E.Compare) and _reads(site.expr, amount.param.name):
                    return site.place
    return None


def _reads(expr: E.Compare, name: str) -> bool:
    """`arguments["amount"] > limit`, `request.amount <= limit`, and the name itself."""
    sides = (expr.left, *expr.rights)
    read = [s for s in sides if any(read_key(e) == name or dotted(e) == name for e in descend(s))]
    return (
        bool(read)
        and bool(_ORDER & set(expr.ops))
        and any(s not in read and not _is_zero(s) for s in sides)
    )
