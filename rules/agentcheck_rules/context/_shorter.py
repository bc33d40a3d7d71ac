"""What shortens a history: slices, pops, and calls whose names say that they do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from agentcheck.rule import AgentGraph, E, Fn, Located, S, Site, descend, dotted, lazy_re, slot
from agentcheck_rules.context._history import KEPT, growth, whole_slice

__all__ = ["shortened"]

_SHORTENS = lazy_re(
    r"trim|trunc|compact|compress|condens|summar|prune|shrink|evict|window|last_n|keep_last"
    r"|remove_up_to|context_manage|maxlen|limit_(history|messages|context|tokens)|token_limit"
    r"|max_(history|messages|context|items)|forget|drop_old|clear_history",
    re.IGNORECASE,
)
_PICTURES = lazy_re("image|screenshot|media")


def shortened(graph: AgentGraph, fn: Fn, name: str, sites: Iterable[Site]) -> Located | Site | None:
    """Where a history is cut, replaced or summed up: in the function, its class or a callee."""
    for host in (fn, *_methods(graph, fn, name)):
        for at in graph.program.statements(host):
            if _cuts(at, name) or (name in _own_slots(at) and _says_so(at)):
                return at
    for host in _makers(graph, fn, name):
        for at in graph.program.statements(host):
            if _is_ring(at, name):
                return at
    for site in sites:
        found = _in_callees(graph, site, 3, set())
        if found is not None:
            return found
    return None


def _methods(graph: AgentGraph, fn: Fn, name: str) -> Iterator[Fn]:
    klass = graph.program.self_class(fn)
    if klass is not None and name.startswith("self."):
        yield from (m for m in klass.methods.values() if m is not fn and m.name != "__init__")


def _makers(graph: AgentGraph, fn: Fn, name: str) -> Iterator[Fn]:
    """Where a history is made: here, in the module, or in the object's `__init__`."""
    yield from (fn, graph.program.module(fn.file.path))
    klass = graph.program.self_class(fn)
    if klass is not None and name.startswith("self.") and "__init__" in klass.methods:
        yield klass.methods["__init__"]


def _is_ring(at: Located, name: str) -> bool:
    """`deque(maxlen=30)`."""
    if not isinstance(at.stmt, S.Assign) or not isinstance(at.stmt.value, E.Call):
        return False
    made = any(slot(t) == name for t in at.stmt.targets)
    return made and any(says_shorter(a.name or "") for a in at.stmt.value.args)


def _cuts(at: Located, name: str) -> bool:
    match at.stmt:
        case S.Do(value=E.Call(func=E.Attr(attr="pop" | "popleft" | "clear", value=base))):
            return slot(base) == name
        case S.Delete(targets=targets):
            return any(isinstance(t, E.Index) and slot(t.value) == name for t in targets)
        case S.Assign(targets=(target,), value=value) if value is not None:
            if slot(whole_slice(target)) != name or growth(at) is not None:
                return False
            return at.up is not None or _mentions(value, name) or "self." in name
        case _:
            return False


def _mentions(value: E.Expr, name: str) -> bool:
    return any(slot(e) == name for e in descend(value))


def _own_slots(at: Located) -> set[str]:
    return {s for e in _exprs(at) if (s := slot(e))}


def _exprs(at: Located) -> Iterator[E.Expr]:
    match at.stmt:
        case S.Do(value=value) | S.AugAssign(value=value):
            yield from descend(value)
        case S.Assign(value=value) if value is not None:
            yield from descend(value)
        case S.If(test=test) | S.While(test=test):
            yield from descend(test)
        case _:
            return


def _says_so(at: Located) -> bool:
    """A call or a comparison whose words say that it shortens or limits."""
    calls = [e for e in _exprs(at) if isinstance(e, E.Call)]
    names = [dotted(e.func) or "" for e in calls] + [a.name or "" for e in calls for a in e.args]
    if isinstance(at.stmt, (S.If, S.While)):
        names += [slot(e) or "" for e in _exprs(at)]
    return any(map(says_shorter, names))


@lru_cache(maxsize=4096)
def says_shorter(name: str) -> bool:
    """Whether a name is that of something that shortens a history, not just its pictures."""
    return bool(_SHORTENS.search(name)) and not _PICTURES.search(name)


def _in_callees(graph: AgentGraph, site: Site, depth: int, seen: set[Fn]) -> Site | None:
    for arg in site.call.args:
        if arg.name and says_shorter(arg.name):
            return site
    for callee in graph.calls.callees(site) if depth else ():
        if callee in seen:
            continue
        seen.add(callee)
        for inner, call in graph.program.calls(callee):
            if says_shorter(dotted(call.func) or "") and _on_history(call):
                return inner
            found = _in_callees(graph, inner, depth - 1, seen)
            if found is not None:
                return found
    return None


def _on_history(call: E.Call) -> bool:
    """Whether a call works on something that is named like a history."""
    receiver = [call.func.value] if isinstance(call.func, E.Attr) else []
    names = (slot(e) or "" for e in (*receiver, *(a.value for a in call.args)))
    return any(KEPT.search(n) for n in names)
