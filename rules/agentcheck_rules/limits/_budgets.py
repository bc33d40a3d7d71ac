"""Budgets of tokens, cost or time that a loop's code names: passed, compared, or left at None."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    E,
    Evidence,
    Fn,
    Klass,
    S,
    Site,
    last_name,
    lazy_re,
    related,
)

DEPTH = 5
_WORDS = lazy_re(
    r"budget|cost|usd|spend|spent|max_tokens_total|total_tokens|token_limit|max_total_tokens|"
    r"deadline|max_seconds|time_limit|max_duration|max_time|usage_limit"
)
_TELLS = {
    "print", "debug", "info", "warning", "warn", "error", "critical", "log", "write", "exception",
}  # fmt: skip


def budget_of(graph: AgentGraph, loop: AgentLoop) -> Evidence | None:
    """What can end the loop by tokens, cost or time."""
    for bound in loop.bounds:
        if bound.kind in ("budget", "time") or bound.unit in ("seconds", "tokens or cost"):
            return related(bound.place, "this ends the loop")
    return _named_in(graph, loop.fn) or _compared_below(graph, loop)


def _named_in(graph: AgentGraph, fn: Fn) -> Evidence | None:
    """A parameter named like a budget that the function reads."""
    for param in fn.facts.params:
        if _WORDS.search(param.name.lower()) and _read(graph, fn, param.name):
            return related(fn.place(param.span), "a budget can be passed")
    return None


def _read(graph: AgentGraph, fn: Fn, name: str) -> bool:
    return any(isinstance(s.expr, E.Name) and s.expr.id == name for s in graph.program.sites(fn))


def _compared_below(graph: AgentGraph, loop: AgentLoop) -> Evidence | None:
    for site in graph.program.sites(loop.fn):
        if isinstance(site.expr, E.Compare) and loop.stmt in site.loops():
            named = any(_budget_name(e) for e in (site.expr.left, *site.expr.rights))
            if named and not _only_tells(site.at.stmt):
                return related(site.place, "a budget is compared in the loop")
    return None


def _budget_name(expr: E.Expr) -> bool:
    name = (last_name(expr) or "").lower()
    return bool(_WORDS.search(name)) or "timeout" in name


def _only_tells(stmt: S.Stmt) -> bool:
    """Whether an `if` does no more than log or print."""
    return isinstance(stmt, S.If) and all(
        isinstance(s, S.Do) and isinstance(s.value, E.Call) and last_name(s.value.func) in _TELLS
        for s in (*stmt.body, *stmt.orelse)
    )


def left_at_none(graph: AgentGraph, loop: AgentLoop) -> Iterator[Evidence]:
    """Budgets of the classes between the loop and its model that nothing but None is put into."""
    for klass in _classes(graph, loop):
        for name, values in _attributes(klass).items():
            nothing = all(isinstance(v, E.Const) and v.value is None for _, _, v in values)
            if nothing and _WORDS.search(name.lower()):
                fn, target, _ = values[0]
                yield related(fn.place(target.span), "a budget exists, but it is None by default")


def _attributes(klass: Klass) -> dict[str, list[tuple[Fn, E.Attr, E.Expr]]]:
    """What the methods of a class assign to attributes of `self`."""
    found: dict[str, list[tuple[Fn, E.Attr, E.Expr]]] = {}
    for fn in klass.methods.values():
        first = fn.facts.params[0].name if fn.facts.params else ""
        for stmt in fn.facts.body:
            if isinstance(stmt, S.Assign) and stmt.value is not None:
                for target in stmt.targets:
                    match target:
                        case E.Attr(value=E.Name(id=name), attr=attr) if name == first:
                            found.setdefault(attr, []).append((fn, target, stmt.value))
                        case _:
                            continue
    return found


def _classes(graph: AgentGraph, loop: AgentLoop) -> list[Klass]:
    """The classes of the functions through which the loop reaches its model, nearest first."""
    found, seen, sites = list[Klass](), {loop.fn}, list[Site](loop.sites)
    for _ in range(DEPTH):
        fns = [f for s in sites for f in graph.calls.callees(s) if f not in seen]
        seen |= set(fns)
        found += [k for f in (loop.fn, *fns) if (k := graph.program.owner(f)) is not None]
        sites = [s for f in fns for s in graph.drives.sites.get(f, ())]
    return list(dict.fromkeys(found))
