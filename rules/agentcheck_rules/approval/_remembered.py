"""Where a yes is remembered, and under what it is looked up again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    S,
    Site,
    argument,
    descend,
    dotted,
    function_asks,
    gates_in,
    last_name,
    lazy_re,
    part,
    string,
)
from agentcheck_rules.approval._verdict_tests import word_of

How = Literal["kept", "cached", "always"]
_STORE = lazy_re(r"approv|allow|trust|grant|permit|consent|confirmed|authori[sz]ed|whitelist")
_DENIES = lazy_re(r"den(y|ied)|not_|dis|pending|block|reject")
_NAMES = frozenset(
    "tool_name toolname function_name func_name fn_name tool_id command_name".split()
)
_CALLS = lazy_re(r"call|tool|function|block|request|interruption")
_ALWAYS = lazy_re(r"^(a|always|all|s|session|!|t|trust|forever|don't ask|never ask|[aA]lways .*)$")
_ALWAYS_WORD = lazy_re(r"always|session|remember|persist|forever|all_calls")
_CACHES = frozenset("cache lru_cache cached memoize ttl_cache cache_data".split())


class Kept(Struct, frozen=True):
    """A yes that outlives the call it was given to. `asked` where the person meant it to."""

    fn: Fn
    how: How
    place: Place
    asked: bool
    used: Place | None = None
    whole: bool = False  # the call's arguments are part of the key


def remembered(graph: AgentGraph, fn: Fn) -> Iterator[Kept]:
    """Every place in a function that keeps a yes for later calls."""
    if _cached(fn) and _names_only(fn) and function_asks(graph.calls, fn, 2):
        yield Kept(fn, "cached", fn.place(fn.facts.name_span), asked=False)
    for site in graph.program.shaped(fn, E.Call):
        if _approves_always(site) and _after_a_yes(graph, site, ""):
            yield Kept(fn, "always", site.place, asked=_meant(site))
    for store, key, site in _stored(graph, fn):
        used = _looked_up(graph, fn, store)
        if used is None or not _after_a_yes(graph, site, store) or not _lasts(graph, site, store):
            continue
        if _is_name(graph, key, fn):
            yield Kept(fn, "kept", site.place, _meant(site), used)
        elif _mentions_name(graph, key, fn):
            yield Kept(fn, "kept", site.place, asked=False, used=used, whole=True)


def _cached(fn: Fn) -> bool:
    decorators = (d.func if isinstance(d, E.Call) else d for d in fn.facts.decorators)
    return any(last_name(d) in _CACHES for d in decorators)


def _names_only(fn: Fn) -> bool:
    params = [p.name for p in fn.facts.params if p.name not in ("self", "cls")]
    return bool(params) and all(p in _NAMES or p in ("name", "tool") for p in params)


def _approves_always(site: Site) -> bool:
    """`state.approve(interruption, always_approve=True)` of the OpenAI Agents SDK."""
    if type(site.expr) is not E.Call or last_name(site.expr.func) != "approve":
        return False
    given = argument(site.expr, "always_approve")
    return isinstance(given, E.Const) and given.value is True


def _stored(graph: AgentGraph, fn: Fn) -> Iterator[tuple[str, E.Expr, Site]]:
    """`approved.add(key)` and `approved[key] = True`, with the name of what holds it."""
    for site in graph.program.shaped(fn, E.Call, E.Index):
        expr = site.expr
        if type(expr) is E.Index:
            if _sets_true(site) and _is_store(expr.value):
                yield dotted(expr.value) or "", expr.index, site
        elif type(expr) is E.Call and type(expr.func) is E.Attr and len(expr.args) == 1:
            store = expr.func.value
            if expr.func.attr in ("add", "append") and _is_store(store):
                yield dotted(store) or "", expr.args[0].value, site


def _is_store(store: E.Expr) -> bool:
    word = (last_name(store) or "").lower()
    return bool(_STORE.search(word)) and not _DENIES.search(word)


def _sets_true(site: Site) -> bool:
    stmt = site.at.stmt
    return (
        isinstance(stmt, S.Assign)
        and any(t is site.expr for t in stmt.targets)
        and isinstance(stmt.value, E.Const)
        and (stmt.value.value is True or string(stmt.value) in ("allow", "approved", "always"))
    )


def _is_name(graph: AgentGraph, key: E.Expr, fn: Fn) -> bool:
    """Whether a key is a tool's name and nothing else."""
    match key:
        case E.Name(id=name) if name in _NAMES:
            return not any(isinstance(e, (E.Template, E.Items)) for e in _values(graph, key, fn))
        case E.Attr(attr="name" | "tool_name", value=base):
            return bool(_CALLS.search((dotted(base) or "").lower()))
        case E.Index(index=E.Const(value="name" | "tool_name"), value=base):
            return bool(_CALLS.search((dotted(base) or "").lower()))
        case E.Name():
            return part(graph, key, fn) == "name"
        case _:
            return False


def _values(graph: AgentGraph, key: E.Expr, fn: Fn) -> list[E.Expr]:
    return [o.expr for o in graph.tracer.local(key, fn) if o.expr is not None]


def _mentions_name(graph: AgentGraph, key: E.Expr, fn: Fn) -> bool:
    """Whether a key is made of a tool's name and more: `(name, digest)`, an f-string, a hash."""
    shown = [key, *_values(graph, key, fn)]
    return any(_is_name(graph, e, fn) for whole in shown for e in descend(whole) if e is not whole)


def _after_a_yes(graph: AgentGraph, site: Site, store: str) -> bool:
    """Whether somebody was asked before, in the same function; the store itself is no answer."""
    for gate in gates_in(graph, site.fn, "dispatch", depth=2):
        by = gate.by
        if by is None or by.at is site.at or not gate.is_before(site):
            continue
        if "interruption" in word_of(by.expr):  # what waits for an answer is none
            continue
        if not store or all(dotted(e) != store for e in descend(by.expr)):
            return True
    return False


def _lasts(graph: AgentGraph, site: Site, store: str) -> bool:
    """Whether a store outlives the call: a local one does where a loop adds to it."""
    if "." in store:
        return True
    bindings = graph.program.scope(site.fn).get(store, [])
    if any(b.how == "value" for b in bindings):
        return any(True for _ in site.loops())
    return True


def _meant(site: Site) -> bool:
    """Whether the way to it is the answer "always", or a switch of that name."""
    for ctx in site.around():
        if isinstance(ctx.stmt, S.If) and ctx.part == "body":
            for expr in descend(ctx.stmt.test):
                text = string(expr)
                word = (last_name(expr) or "").lower()
                if (text is not None and _ALWAYS.match(text.lower())) or _ALWAYS_WORD.search(word):
                    return True
    return False


def _looked_up(graph: AgentGraph, fn: Fn, store: str) -> Place | None:
    """Where a function of the same file asks whether the store holds a key."""
    last = store.rpartition(".")[2]
    for other in graph.program.functions[fn.file.path]:
        for site in graph.program.shaped(other, E.Compare, E.Call):
            match site.expr:
                case E.Compare(ops=("in" | "not in",), rights=(right,)) if last_name(right) == last:
                    return site.place
                case E.Call(func=E.Attr(attr="get", value=value)) if last_name(value) == last:
                    return site.place
                case _:
                    continue
    return None
