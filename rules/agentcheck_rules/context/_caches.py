"""Answers of models that a function keeps and gives again: the look-up, the store, their key."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import AgentGraph, E, Fn, Located, S, Site, descend, lazy_re, slot

_GETS = frozenset(
    "get aget lookup alookup check acheck search find query fetch get_similar find_similar "
    "get_cached similarity_search".split()
)
_SETS = frozenset(
    "set aset put aput store astore add save insert setex upsert write set_cached".split()
)
_CACHE = lazy_re(r"cache|memoi|remembered_answers", re.IGNORECASE)
_MODELS = lazy_re(r"(^|[._])(llm|model|chat|agent|chain|assistant)(\(\)|s?$)", re.IGNORECASE)
_ASKS = frozenset(
    "answer ask chat complete completion generate respond invoke ainvoke run arun call "
    "chat_completion acomplete agenerate generate_content".split()
)


class Cached(Struct, frozen=True):
    """One answer cache of a function: looked up at `lookup`, filled at `store` with `key`."""

    fn: Fn
    cache: str
    lookup: Site
    store: Site
    keys: tuple[E.Expr, ...]
    asks: Site


def cached_answers(graph: AgentGraph, fn: Fn) -> Iterator[Cached]:
    """The caches of a function that hold what a model call of it gave."""
    stores = list(_stores(graph, fn))
    seen: set[str] = set()
    for site, cache, keys, values in stores:
        lookup = next(_lookups(graph, fn, cache), None)
        held = [(v, a) for v in values for a in _asked(graph, v, fn)]
        if lookup is None or not held or cache in seen:
            continue
        seen.add(cache)
        by = [k for k in keys if all(k is not v for v, _ in held)]
        yield Cached(fn, cache, lookup[0], site, (*lookup[1], *by), held[0][1])


def _stores(
    graph: AgentGraph, fn: Fn
) -> Iterator[tuple[Site, str, tuple[E.Expr, ...], tuple[E.Expr, ...]]]:
    """Site, the cache's slot, what the key may be made of, what may be the value."""
    for site, call in graph.program.calls(fn):
        if isinstance(call.func, E.Attr) and call.func.attr in _SETS and len(call.args) > 1:
            name = slot(call.func.value)
            given = tuple(a.value for a in call.args)
            if name and (_CACHE.search(name) or _is_cache_key(given[0])):
                yield site, name, given, given
    for at in graph.program.statements(fn):
        if isinstance(at.stmt, S.Assign) and at.stmt.value is not None:
            for target in at.stmt.targets:
                if isinstance(target, E.Index) and _CACHE.search(slot(target.value) or ""):
                    name = slot(target.value) or ""
                    yield Site(target, at), name, (target.index,), (at.stmt.value,)


def _lookups(graph: AgentGraph, fn: Fn, cache: str) -> Iterator[tuple[Site, tuple[E.Expr, ...]]]:
    for site in graph.program.shaped(fn, E.Call, E.Index, E.Compare):
        match site.expr:
            case E.Call(func=E.Attr(attr=attr, value=base), args=args) if attr in _GETS and args:
                if slot(base) == cache:
                    yield site, tuple(a.value for a in args)
            case E.Index(value=base, index=key) if slot(base) == cache and not _is_target(site):
                yield site, (key,)
            case E.Compare(left=left, ops=("in",), rights=(right,)) if slot(right) == cache:
                yield site, (left,)
            case _:
                continue


def _is_target(site: Site) -> bool:
    stmt = site.at.stmt
    return isinstance(stmt, S.Assign) and any(t is site.expr for t in stmt.targets)


def _is_cache_key(key: E.Expr) -> bool:
    return bool(_CACHE.search(slot(key) or ""))


def _asked(graph: AgentGraph, value: E.Expr, fn: Fn) -> Iterator[Site]:
    """The calls of the function whose answer a value holds."""
    sites = {id(site.expr): site for site, _ in graph.program.calls(fn)}
    for part in _held(value):
        for origin in graph.tracer.local(part, fn):
            site = sites.get(id(origin.expr)) if origin.kind == "call" else None
            if site is not None and _asks(graph, site):
                yield site


def _held(value: E.Expr) -> Iterator[E.Expr]:
    yield value
    if isinstance(value, (E.Entries, E.Items, E.Call)):
        yield from (e for e in descend(value) if isinstance(e, (E.Name, E.Attr, E.Index)))


def _asks(graph: AgentGraph, site: Site) -> bool:
    ends = graph.drives.ends_of(site)
    if ends:
        return not all(getattr(end.data, "kind", "") == "embedding" for end in ends)
    func = site.call.func
    if not isinstance(func, E.Attr) or func.attr not in _ASKS or graph.calls.callees(site):
        return False
    return bool(_MODELS.search(slot(func.value) or ""))


class Inputs:
    """Answers from which parameters of its function an expression is made."""

    def __init__(self, graph: AgentGraph, fn: Fn) -> None:
        self._graph, self._fn = graph, fn
        self._scope = graph.program.scope(fn)
        self._params = {p.name for p in fn.facts.params}

    def of(self, expr: E.Expr, depth: int = 5) -> set[str]:
        """The slots that begin with a parameter: `prompt`, `request.user_id`, `self.user`."""
        found: set[str] = set()
        for part in _outer(expr):
            name = slot(part) or ""
            root = re.split(r"[.\[]", name, maxsplit=1)[0]
            if root in self._params:
                found.add(name)
            for binding in self._scope.get(root, ())[:8] if depth else ():
                if binding.expr is not None and binding.how not in ("param", "caught"):
                    found |= self.of(binding.expr, depth - 1)
            for added in self._added(root) if depth else ():
                found |= self.of(added, depth - 1)
        return found

    def _added(self, name: str) -> Iterator[E.Expr]:
        if name not in self._params:
            for at in self._graph.program.statements(self._fn):
                yield from _adds(at, name)


def _adds(at: Located, name: str) -> Iterator[E.Expr]:
    match at.stmt:
        case S.Do(value=E.Call(func=E.Attr(attr=attr, value=E.Name(id=base)), args=args)):
            if base == name and attr in ("append", "extend", "insert", "update"):
                yield from (a.value for a in args)
        case _:
            return


def _outer(expr: E.Expr) -> Iterator[E.Expr]:
    """The slots in an expression at full length; a method's name is none of it."""
    if isinstance(expr, E.Call) and isinstance(expr.func, E.Attr) and slot(expr) is None:
        yield from _outer(expr.func.value)
        for arg in expr.args:
            yield from _outer(arg.value)
        return
    if slot(expr) is not None:
        yield expr
        return
    inner = [e for e in descend(expr) if e is not expr]
    below = {id(x) for e in inner for x in descend(e) if x is not e}
    for part in inner:
        if id(part) not in below:
            yield from _outer(part)
