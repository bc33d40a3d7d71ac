"""Values that differ from call to call, and whether only a date is taken from a clock."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Function,
    Piece,
    argument,
    descend,
    last_name,
    lazy_re,
    string,
)

_CLOCKS = lazy_re(
    r"(^|\.)(datetime(\.datetime)?\.(now|utcnow|today)|time\.(time|time_ns|monotonic|perf_counter"
    r"|ctime|asctime|strftime|localtime|gmtime)|pendulum\.now|arrow\.(now|utcnow)"
    r"|timezone\.now|Timestamp\.now)$"
)
_CHANCE = lazy_re(
    r"^(uuid\.uuid[14]|secrets\.\w+|random\.(random|randint|choice|choices|sample|shuffle|uniform)"
    r"|os\.urandom|shortuuid\.uuid)$"
)
_TIME_CODES = lazy_re(r"%[-#]?[HIMSfTXcspr]|\b(HH|hh|mm|ss)\b")
_DATE_ONLY = frozenset("date weekday isoweekday isocalendar toordinal year month day".split())


def changing(graph: AgentGraph, piece: Piece) -> tuple[str, E.Expr, Fn] | None:
    """ "the time" or "a random value" with the call, where a piece differs on every call."""
    if dated_by_format(piece):
        return None
    for expr, fn in _sources(graph, piece):
        for part in descend(expr):
            if isinstance(part, E.Call):
                kind = _kind(graph, part, fn)
                if kind is not None and not (kind == "the time" and _only_date(expr, part)):
                    return kind, part, fn
    return None


def dated_by_format(piece: Piece) -> bool:
    """Whether an f-string's own format, as in `{now:%Y-%m-%d}`, keeps only the date."""
    chain = [*piece.via, (piece.expr, piece.fn)]
    for (outer, _), (inner, fn) in pairwise(chain):
        if isinstance(outer, E.Template):
            spec = _format_spec(inner, fn)
            if "%" in spec and _is_date_format(spec):
                return True
    return False


def _format_spec(expr: E.Expr, fn: Fn) -> str:
    """What stands behind the colon of a part of an f-string."""
    line, column = expr.span.end_line - 1, expr.span.end_column - 1
    rest = fn.file.lines[line][column:] if line < len(fn.file.lines) else ""
    return rest[1:].partition("}")[0] if rest.startswith(":") else ""


def only_dated(graph: AgentGraph, piece: Piece) -> bool:
    """Whether a piece takes no more than the day from a clock."""
    return any(
        isinstance(part, E.Call) and _kind(graph, part, fn) == "the time"
        for expr, fn in _sources(graph, piece)
        for part in descend(expr)
    )


def _sources(graph: AgentGraph, piece: Piece) -> Iterator[tuple[E.Expr, Fn]]:
    """The piece, and what the names in it were assigned; what methods were called on it."""
    yield piece.expr, piece.fn
    for part in descend(piece.expr):
        if isinstance(part, E.Name):
            for binding in graph.program.scope(piece.fn).get(part.id, ())[:4]:
                if binding.how == "value" and binding.expr is not None:
                    yield _in_place(piece.expr, part, binding.expr), piece.fn


def _in_place(expr: E.Expr, name: E.Name, value: E.Expr) -> E.Expr:
    """`now.strftime(f)` with `now` replaced by what it was assigned, as far as methods go."""
    match expr:
        case E.Call(where=where, func=E.Attr(where=inner, value=base, attr=attr), args=args):
            return E.Call(where, E.Attr(inner, _in_place(base, name, value), attr), args)
        case E.Attr(where=where, value=base, attr=attr):
            return E.Attr(where, _in_place(base, name, value), attr)
        case _:
            return value


def _kind(graph: AgentGraph, call: E.Call, fn: Fn) -> str | None:
    symbols = graph.resolver.of(call.func, fn)
    if any(isinstance(s, Function) for s in symbols):
        return None
    names = graph.resolver.dotted(call.func, fn)
    if any(_CHANCE.search(n) for n in names):
        return "a random value"
    return "the time" if any(_CLOCKS.search(n) for n in names) else None


def _only_date(whole: E.Expr, clock: E.Call) -> bool:
    """Whether all that is made of the clock is a date."""
    if last_name(clock.func) == "strftime":
        return _is_date_format(string(argument(clock, "format", 0)))
    chain = list(_applied(whole, clock))
    for name, call in chain:
        if name in _DATE_ONLY:
            return True
        if name in ("strftime", "format") and call is not None:
            return _is_date_format(string(argument(call, "format", 0)))
    return False


def _is_date_format(written: str | None) -> bool:
    """A format that nobody can read may leave the time out; it gets the benefit of the doubt."""
    return written is None or not _TIME_CODES.search(written)


def _applied(whole: E.Expr, clock: E.Call) -> Iterator[tuple[str, E.Call | None]]:
    """The attributes and methods applied to a call, innermost first."""
    found: list[tuple[str, E.Call | None]] = []
    for part in descend(whole):
        match part:
            case E.Call(func=E.Attr(value=base, attr=attr)) if _reaches(base, clock):
                found.append((attr, part))
            case E.Attr(value=base, attr=attr) if _reaches(base, clock):
                found.append((attr, None))
            case _:
                continue
    called = {name for name, call in found if call is not None}
    yield from reversed([f for f in found if f[1] is not None or f[0] not in called])


def _reaches(base: E.Expr, clock: E.Call) -> bool:
    while base is not clock:
        match base:
            case E.Call(func=E.Attr(value=value)) | E.Attr(value=value):
                base = value
            case _:
                return False
    return True
