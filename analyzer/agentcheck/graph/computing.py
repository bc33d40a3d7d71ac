"""Functions that only compute: what they give depends on their arguments and nothing else moves."""

from __future__ import annotations

from agentcheck.graph.effect_words import words_of
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.text import last_name
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

_BUILTINS = frozenset(
    "abs all any bool bytes chr dict divmod enumerate filter float format frozenset int isinstance "
    "len list map max min ord pow range repr reversed round set sorted str sum tuple zip Decimal "
    "Counter ValueError TypeError KeyError".split()
)
_MODULES = frozenset(
    "math re statistics string textwrap unicodedata difflib itertools functools collections "
    "decimal fractions operator html base64 hashlib".split()
)
_METHODS = frozenset(
    "capitalize casefold center count decode encode endswith find format get group groups index "
    "isalnum isalpha isdigit isnumeric isspace items join keys ljust lower lstrip match "
    "most_common partition removeprefix removesuffix replace rjust rpartition rsplit rstrip split "
    "splitlines startswith strip swapcase title translate union upper values zfill".split()
)
# These change what they are called on, which is harmless for a value made in the function.
_FILLING = frozenset("append add extend insert pop remove sort update clear setdefault".split())
_STATE = frozenset("context ctx variables state session wrapper runtime deps agent memory".split())


def computes_only(tracer: Tracer, fn: Fn, depth: int = 2) -> bool:
    """Whether a function works something out of its arguments and does nothing besides.

    One that returns a fixed text or its arguments put into one is a stand-in and not meant.
    """
    results = tracer.results(fn)
    return bool(
        results
        and _does_nothing_else(tracer, fn, depth)
        and any(_worked_out(tracer, r, fn) for r in results)
    )


def _does_nothing_else(tracer: Tracer, fn: Fn, depth: int) -> bool:
    own = _own_names(tracer, fn)
    for at in tracer.program.statements(fn):
        if isinstance(at.stmt, (S.Scope, S.Delete, S.With)):
            return False
        if isinstance(at.stmt, (S.Assign, S.AugAssign)):
            targets = at.stmt.targets if isinstance(at.stmt, S.Assign) else (at.stmt.target,)
            if not all(isinstance(t, E.Items) or _root(t) in own for t in targets):
                return False
    return all(_is_pure(tracer, site, call, own, depth) for site, call in tracer.program.calls(fn))


def _is_pure(tracer: Tracer, site: Site, call: E.Call, own: frozenset[str], depth: int) -> bool:
    inner = tracer.calls.callees(site)
    if inner:
        return depth > 0 and all(_does_nothing_else(tracer, f, depth - 1) for f in inner)
    names = tracer.resolver.dotted(call.func, site.fn)
    if names and all(n in _BUILTINS or n.partition(".")[0] in _MODULES for n in names):
        return True
    if not isinstance(call.func, E.Attr):
        return False
    filled = call.func.attr in _FILLING and _root(call.func.value) in own
    return call.func.attr in _METHODS or filled


def _own_names(tracer: Tracer, fn: Fn) -> frozenset[str]:
    """Names of a function's own: what it binds, and its parameters apart from `self`."""
    bound = tracer.program.scope(fn)
    return frozenset(n for n in bound if n not in ("self", "cls"))


def _root(expr: E.Expr) -> str | None:
    while isinstance(expr, (E.Attr, E.Index, E.Call)):
        expr = expr.func if isinstance(expr, E.Call) else expr.value
    return expr.id if isinstance(expr, E.Name) else None


def _worked_out(tracer: Tracer, result: E.Expr, fn: Fn) -> bool:
    """Whether a result is made by an operation on a parameter, not merely by showing it."""
    if isinstance(result, (E.Const, E.Template, E.Entries, E.Items)):
        inner = [] if isinstance(result, E.Const) else list(descend(result))[1:]
        return any(_operates(tracer, e, fn) for e in inner if not isinstance(e, E.Template))
    if isinstance(result, E.Name):
        bound = [b.expr for b in tracer.program.scope(fn).get(result.id, ()) if b.how == "value"]
        return any(e is not None and _operates(tracer, e, fn) for e in bound)
    return _operates(tracer, result, fn)


def _operates(tracer: Tracer, expr: E.Expr, fn: Fn) -> bool:
    if isinstance(expr, E.Call) and last_name(expr.func) in ("str", "repr", "format"):
        return False
    if not isinstance(expr, (E.Call, E.Binary, E.Compare, E.Comp, E.Index, E.Unary)):
        return False
    params = {p.name for p in fn.facts.params}
    named = {e.id for e in descend(expr) if isinstance(e, E.Name)}
    return bool(named & (params | set(tracer.program.scope(fn))))


def holds_run_state(fn: Fn) -> bool:
    """Whether a function is handed the state of the run itself: `ctx`, `state: SessionState`."""
    return any(
        words[-1] in _STATE
        for param in fn.facts.params
        for name in (param.name, *_type_names(param))
        if (words := words_of(name))
    )


def _type_names(param: E.Param) -> list[str]:
    annotation = param.annotation
    return [] if annotation is None else [last_name(e) or "" for e in descend(annotation)]
