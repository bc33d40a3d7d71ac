"""Calls that write a line to a log, the console or a log file, and what they write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import AgentGraph, E, Fn, S, Site, dotted, last_name, lazy_re, spoken

LEVELS = {
    "info": "info", "success": "info", "notice": "info", "warning": "warning", "warn": "warning",
    "error": "error", "exception": "error", "critical": "error", "fatal": "error",
    "debug": "debug", "trace": "debug",
}  # fmt: skip
_LOGGER = lazy_re(r"(^|[._])(log|logger|logging|_?logger|structlog)($|[._(\[])")
_LOG_FILE = lazy_re(r"(^|[_\W])(logs?|traces?|transcripts?|audit)($|[_\W])")
# Calls whose result still says all of what they are given.
_KEEPS = frozenset(
    "str repr dumps pformat format join strip lstrip rstrip model_dump model_dump_json dict json "
    "to_dict to_json colored style get copy list".split()
)
_SWITCH = lazy_re(r"debug|verbose|log_content|log_prompt|trace_content|isenabledfor")
Where = Literal["log", "console", "file"]


class Line(Struct, frozen=True):
    """One written line: `parts` are the values in it, `level` that of a log."""

    site: Site
    where: Where
    level: str
    parts: tuple[E.Expr, ...]


def written(graph: AgentGraph, fn: Fn) -> Iterator[Line]:
    """Every line that a function writes, those behind a switch for debugging left out."""
    for site, call in graph.program.calls(fn):
        found = _line(graph, site, call)
        if found is not None and not switched(site):
            yield found


def _line(graph: AgentGraph, site: Site, call: E.Call) -> Line | None:
    func = call.func
    if type(func) is E.Name and func.id == "print":
        return Line(site, "console", "info", _given(call))
    if type(func) is not E.Attr:
        return None
    last = func.attr
    if last in LEVELS and _is_logger(func.value):
        return Line(site, "log", LEVELS[last], _given(call))
    if last in ("write", "writelines", "write_text", "dump"):
        target = call.args[1].value if last == "dump" and len(call.args) > 1 else func.value
        if _is_log_file(graph, target, site.fn):
            return Line(site, "file", "info", _given(call))
    return None


def _given(call: E.Call) -> tuple[E.Expr, ...]:
    return tuple(p for arg in call.args for p in parts_of(arg.value))


def _is_logger(value: E.Expr) -> bool:
    return bool(_LOGGER.search((dotted(value) or "").lower()))


def _is_log_file(graph: AgentGraph, target: E.Expr, fn: Fn) -> bool:
    """Whether what is written to was opened under the name of a log."""
    for origin in graph.tracer.local(target, fn):
        call = origin.expr
        if isinstance(call, E.Call) and last_name(call.func) in ("open", "Path"):
            paths = [spoken(a.value) or dotted(a.value) or "" for a in call.args[:1]]
            paths += [dotted(call.func) or ""]
            return any(_LOG_FILE.search(path.lower()) for path in paths)
    return False


def parts_of(expr: E.Expr) -> Iterator[E.Expr]:
    """The values that are written out in full below an expression: `len(x)` writes no x."""
    if isinstance(expr, (E.Name, E.Attr)):
        yield expr
        return
    if isinstance(expr, E.Index) and not isinstance(expr.index, E.Slice):
        yield expr
        return
    if isinstance(expr, E.Call) and last_name(expr.func) in _KEEPS:
        yield expr
    for inner in _inner(expr):
        yield from parts_of(inner)


def _inner(expr: E.Expr) -> tuple[E.Expr, ...]:
    match expr:
        case E.Template():
            return expr.parts
        case E.Items():
            return expr.items
        case E.Logic():
            return expr.values
        case E.Binary():
            return (expr.left, expr.right)
        case E.Choice():
            return (expr.then, expr.otherwise)
        case E.Entries():
            return tuple(entry.value for entry in expr.entries)
        case E.Index() | E.Await() | E.Star():
            return (expr.value,)
        case E.Call() if last_name(expr.func) in _KEEPS:
            held = (expr.func.value,) if isinstance(expr.func, E.Attr) else ()
            return (*held, *(arg.value for arg in expr.args))
        case _:
            return ()


def switched(site: Site) -> bool:
    """Whether an `if` around it asks for debugging or for content by name."""
    return any(
        isinstance(ctx.stmt, S.If)
        and ctx.part == "body"
        and any(_SWITCH.search(word) for word in _words(ctx.stmt.test))
        for ctx in site.around()
    )


def _words(test: E.Expr) -> Iterator[str]:
    match test:
        case E.Logic():
            for value in test.values:
                yield from _words(value)
        case E.Compare():
            yield from (*_words(test.left), *(w for r in test.rights for w in _words(r)))
        case E.Unary(op="not"):
            return
        case _:
            yield (dotted(test) or "").lower()
