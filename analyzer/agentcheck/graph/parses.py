"""Where the JSON that a model wrote as a tool's arguments is parsed, and read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.origins import PARSERS
from agentcheck.graph.text import dotted
from agentcheck.graph.toolcalls import ARGUMENT_STEPS, near_calls, part
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

# Methods that parse JSON whatever they are called on: pydantic's and json.JSONDecoder's.
_METHODS = frozenset({"model_validate_json", "validate_json", "parse_raw", "raw_decode"})
_STEPS = 4


def argument_parses(graph: AgentGraph) -> list[Site]:
    """Every place where a model's argument string is parsed as JSON."""
    found = [
        site for site in parser_calls(graph) if _is_arguments(graph, site, site.call.args[0].value)
    ]
    return sorted(found, key=lambda s: s.place)


def parser_calls(graph: AgentGraph) -> Iterator[Site]:
    """Every call that parses its first argument as JSON."""
    for last in {p.rpartition(".")[2] for p in PARSERS} | _METHODS:
        for site in graph.program.call_index.get(last, []):
            if _parses(graph, site):
                yield site


def _parses(graph: AgentGraph, site: Site) -> bool:
    func = site.call.func
    if not site.call.args:
        return False
    if isinstance(func, E.Attr) and func.attr in _METHODS:
        return not graph.calls.callees(site)
    return bool(graph.resolver.dotted(func, site.fn) & PARSERS)


def _is_arguments(graph: AgentGraph, site: Site, expr: E.Expr) -> bool:
    return part(graph, expr, site.fn) == "arguments" or _gathered(graph, site, expr)


def _gathered(graph: AgentGraph, site: Site, expr: E.Expr) -> bool:
    """Whether the text was put together from the pieces of a stream: `text += delta.arguments`."""
    pieces = [
        at.stmt
        for at in graph.program.statements(site.fn)
        if isinstance(at.stmt, S.AugAssign) and at.stmt.op == "+="
    ]
    names = _roots(graph, site.fn, expr) if pieces else set()
    return any(
        _root(stmt.target) in names
        and any(part(graph, e, site.fn) == "arguments" for e in descend(stmt.value))
        for stmt in pieces
    )


def _root(expr: E.Expr) -> str | None:
    while isinstance(expr, (E.Attr, E.Index)):
        expr = expr.value
    return expr.id if isinstance(expr, E.Name) else None


def _roots(graph: AgentGraph, fn: Fn, expr: E.Expr) -> set[str]:
    """The names that an expression is read from, through the function's own assignments."""
    found = {e.id for e in descend(expr) if isinstance(e, E.Name)}
    for _ in range(_STEPS):
        more = {
            e.id
            for name in found
            for b in graph.program.scope(fn).get(name, [])
            if b.expr is not None and b.how in ("value", "element", "item")
            for e in descend(b.expr)
            if isinstance(e, E.Name)
        }
        if more <= found:
            break
        found |= more
    return found


def tested_first(graph: AgentGraph, site: Site) -> Site | None:
    """An earlier test of the same text by a function of the target that parses it itself."""
    text = dotted(site.call.args[0].value)
    if text is None:
        return None
    for other, call in graph.program.calls(site.fn):
        if (
            isinstance(other.at.stmt, S.If)
            and other.at.stmt.span.line < site.expr.span.line
            and any(dotted(a.value) == text for a in call.args)
            and any(_tries(graph, f) for f in graph.calls.callees(other))
        ):
            return other
    return None


def _tries(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a function parses JSON inside a `try`."""
    return any(any(s.tries()) and _parses(graph, s) for s, _ in graph.program.calls(fn))


def argument_reads(graph: AgentGraph) -> list[Site]:
    """Every `arguments["city"]` that reads one key of a model's arguments and needs it there."""
    found = [
        site
        for fn in near_calls(graph)
        for site in graph.program.shaped(fn, E.Index)
        if isinstance(site.expr, E.Index) and _reads_key(graph, site, site.expr)
    ]
    return sorted(found, key=lambda s: s.place)


def _reads_key(graph: AgentGraph, site: Site, expr: E.Index) -> bool:
    if not (isinstance(expr.index, E.Const) and isinstance(expr.index.value, str)):
        return False
    return not _is_written(site) and _whole(graph, expr.value, site.fn)


def _is_written(site: Site) -> bool:
    match site.at.stmt:
        case S.Assign(targets=targets) | S.Delete(targets=targets):
            return any(e is site.expr for t in targets for e in descend(t))
        case S.AugAssign(target=target):
            return target is site.expr
        case _:
            return False


def _whole(graph: AgentGraph, expr: E.Expr, fn: Fn) -> bool:
    """Whether an expression is, as its own function sees it, a call's arguments as a whole."""
    for origin in graph.tracer.local(expr, fn):
        names = [n for n in origin.names if n != "json()"]
        if names and names[-1] in ARGUMENT_STEPS and part(graph, expr, fn) == "arguments":
            return True
    return False
