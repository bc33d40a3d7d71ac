"""Calls whose exception is kept in a task, a future or a coroutine: where it comes out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.handles import Fn, Located, Site
from agentcheck.graph.text import argument, last_name
from agentcheck.graph.walk import descend, own_exprs
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

# What raises, when awaited, the exception of an awaitable that it was given.
_PASS_ON = frozenset({"gather", "wait_for", "shield"})
_RUNNERS = frozenset({"run", "run_until_complete", "run_coroutine_threadsafe"})
_ADD = frozenset({"append", "add", "extend", "insert", "put_nowait"})
_KEEP = frozenset({"submit", "partial", "call_soon", "to_thread", "run_in_executor"})


def is_deferred(site: Site, callee: Fn, *, coroutine: bool) -> bool:
    """Whether the call only makes something to be waited for, its exception inside.

    `coroutine` says that the callee, although it is a plain function, returns a coroutine.
    """
    if any(e.value is site.expr for e in _exprs(site.at) if isinstance(e, E.Await)):
        return False
    if last_name(site.call.func) in _KEEP and last_name(site.call.func) != callee.name:
        return True
    if not coroutine and (not callee.facts.is_async or callee.facts.is_generator):
        return False
    return not any(
        isinstance(e, E.Call)
        and last_name(e.func) in _RUNNERS
        and any(inner is site.expr for a in e.args for inner in descend(a.value))
        for e in _exprs(site.at)
    )


def is_returned(site: Site) -> bool:
    """Whether the call is the value that its function, itself no coroutine, returns."""
    stmt = site.at.stmt
    return isinstance(stmt, S.Return) and stmt.value is site.expr and not site.fn.facts.is_async


def keeps_exceptions(call: E.Expr) -> bool:
    """`gather(..., return_exceptions=True)`: exceptions come back as results."""
    if not isinstance(call, E.Call) or last_name(call.func) != "gather":
        return False
    given = argument(call, "return_exceptions")
    return given is not None and not (isinstance(given, E.Const) and given.value is False)


def waits(graph: AgentGraph, site: Site) -> list[Site]:
    """The places of the same function where what was kept comes out: an await, `.result()`."""
    group = _task_group(site)
    if group is not None:
        return [group]
    here = [s for s in _sites(graph, site.fn) if s.at.stmt is site.at.stmt and _holds(s, site)]
    if here:
        return here[:1]
    names = _names(graph, site)
    return [s for s in _sites(graph, site.fn) if _takes_out(s.expr, names)] if names else []


def _sites(graph: AgentGraph, fn: Fn) -> list[Site]:
    return [
        s
        for s in graph.program.shaped(fn, E.Await, E.Call)
        if isinstance(s.expr, (E.Await, E.Call))
    ]


def _exprs(at: Located) -> Iterator[E.Expr]:
    for own in own_exprs(at.stmt):
        yield from descend(own)


def _holds(wait: Site, site: Site) -> bool:
    return isinstance(wait.expr, E.Await) and any(e is site.expr for e in descend(wait.expr))


def _task_group(site: Site) -> Site | None:
    """`group.create_task(f())` raises at the end of `async with TaskGroup() as group`."""
    makers = {
        e.func.value.id
        for e in _exprs(site.at)
        if isinstance(e, E.Call)
        and isinstance(e.func, E.Attr)
        and isinstance(e.func.value, E.Name)
        and any(a.value is site.expr for a in e.args)
    }
    for ctx in site.around():
        if isinstance(ctx.stmt, S.With) and ctx.stmt.is_async:
            targets = [i.target for i in ctx.stmt.items]
            if any(isinstance(t, E.Name) and t.id in makers for t in targets):
                return Site(site.expr, Located(ctx.stmt, site.fn, ctx.up))
    return None


def _names(graph: AgentGraph, site: Site) -> set[str]:
    """The names that what was kept goes by, through loops, tables and comprehensions."""
    found = set(_bound(site.at.stmt)) | set(_collected(site))
    for _ in range(3):
        before = len(found)
        for at in graph.program.statements(site.fn):
            found |= _handed_on(at, found)
        if len(found) == before:
            break
    return found


def _handed_on(at: Located, names: set[str]) -> set[str]:
    found = set[str]()
    value = next(iter(own_exprs(at.stmt)), None)
    if isinstance(at.stmt, (S.Assign, S.For)) and value is not None and _mentions(value, names):
        plain = not any(_takes_out(e, names) for e in descend(value))
        found |= set(_bound(at.stmt)) if plain else set()
    for expr in _exprs(at):
        if isinstance(expr, E.Comp):
            for loop in expr.loops:
                found |= set(_target(loop.target)) if _mentions(loop.iter, names) else set()
    return found


def _collected(site: Site) -> Iterator[str]:
    """`tasks.append(create_task(f()))` keeps it in `tasks`."""
    value = site.at.stmt.value if isinstance(site.at.stmt, S.Do) else None
    if isinstance(value, E.Call) and isinstance(value.func, E.Attr) and value.func.attr in _ADD:
        yield from _target(value.func.value)


def _bound(stmt: S.Stmt) -> Iterator[str]:
    targets = stmt.targets if isinstance(stmt, S.Assign) else ()
    targets = (stmt.target,) if isinstance(stmt, (S.For, S.AugAssign)) else targets
    for target in targets:
        yield from _target(target)


def _target(target: E.Expr) -> Iterator[str]:
    match target:
        case E.Name():
            yield target.id
        case E.Items():
            for item in target.items:
                yield from _target(item)
        case E.Index() | E.Star():
            yield from _target(target.value)
        case _:
            return


def _mentions(expr: E.Expr, names: set[str]) -> bool:
    return any(isinstance(e, E.Name) and e.id in names for e in descend(expr))


def _takes_out(expr: E.Expr, names: set[str]) -> bool:
    """`await task`, `await gather(*tasks)`, `job.result()`, `later()`."""
    match expr:
        case E.Await(value=E.Call() as call):
            return last_name(call.func) in _PASS_ON and _mentions(call, names)
        case E.Await(value=E.Name() | E.Index() as value):
            return _mentions(value, names)
        case E.Call(func=E.Attr(attr="result" | "exception") as func):
            return _mentions(func.value, names)
        case E.Call(func=E.Name() as name):
            return name.id in names
        case _:
            return False
