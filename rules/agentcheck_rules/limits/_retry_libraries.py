"""What retry libraries do when nothing is said of an end, read off their signatures."""

from __future__ import annotations

from msgspec import Struct

from agentcheck.rule import AgentGraph, E, Fn, argument, has_spread, last_name


class Library(Struct, frozen=True):
    """A decorator or class that calls again. `ends` are the keywords that end it.

    `by_default` where it ends by itself unless every one of them is given as None. `position` is
    where the first of them stands when it is given without its keyword.
    """

    names: frozenset[str]
    ends: tuple[str, ...]
    by_default: bool = False
    position: int | None = None


# backoff 2.2, tenacity 9.0, retrying 1.3, retry 0.9, stamina 24.3.
LIBRARIES = (
    Library(frozenset({"backoff.on_exception", "backoff.on_predicate"}), ("max_tries", "max_time")),
    Library(
        frozenset({"tenacity.retry", "tenacity.Retrying", "tenacity.AsyncRetrying"}), ("stop",)
    ),
    Library(
        frozenset({"retrying.retry"}),
        ("stop_max_attempt_number", "stop_max_delay", "stop_func", "stop"),
    ),
    Library(frozenset({"retry.retry", "retry.api.retry"}), ("tries",), position=1),
    Library(
        frozenset({"stamina.retry", "stamina.retry_context"}),
        ("attempts", "timeout"),
        by_default=True,
    ),
)


_LASTS = {n.rpartition(".")[2] for one in LIBRARIES for n in one.names}


def library_calls(graph: AgentGraph) -> dict[Fn, list[E.Call]]:
    """The calls, by their function, whose name is that of something in a library."""
    found: dict[Fn, dict[int, E.Call]] = {}
    for last in _LASTS:
        for site in graph.program.call_index.get(last, ()):
            found.setdefault(site.fn, {})[id(site.expr)] = site.call
    return {fn: sorted(calls.values(), key=lambda c: c.span) for fn, calls in found.items()}


def library_of(graph: AgentGraph, expr: E.Expr, fn: Fn) -> Library | None:
    """The library behind a decorator or a call."""
    func = expr.func if isinstance(expr, E.Call) else expr
    names = graph.resolver.dotted(func, fn)
    return next((one for one in LIBRARIES if names & one.names), None)


def ends(library: Library, expr: E.Expr) -> bool | None:
    """Whether it ends by itself; None when arguments are spread, so that nobody can tell."""
    if not isinstance(expr, E.Call):
        return library.by_default
    if has_spread(expr):
        return None
    given = [_given(library, expr, keyword) for keyword in library.ends]
    if library.by_default:
        return not all(value is not None and _is_never(value) for value in given)
    return any(value is not None and not _is_never(value) for value in given)


def _given(library: Library, call: E.Call, keyword: str) -> E.Expr | None:
    position = library.position if keyword == library.ends[0] else None
    return argument(call, keyword, position)


def _is_never(value: E.Expr) -> bool:
    if isinstance(value, E.Unary):
        return value.op == "-"
    return (isinstance(value, E.Const) and value.value is None) or last_name(value) == "stop_never"
