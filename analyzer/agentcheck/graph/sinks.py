"""Where a function lets values out: returns, yields, arguments, attributes, containers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Located, Site
from agentcheck.graph.origins import PARSERS, SAME_FUNCTION
from agentcheck.graph.text import last_name, string
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

Out = Literal["returned", "yielded", "into", "kept", "away"]
LISTENERS = frozenset(
    "print str repr len isinstance hasattr type id bool format logging.info logging.debug "
    "logging.warning logging.error pprint.pprint rich.print".split()
)
LOGGERS = ("debug", "info", "warning", "error", "exception", "print", "log")
SERIALIZERS = frozenset(
    "json.dumps orjson.dumps yaml.dump yaml.safe_dump pprint.pformat pydantic_core.to_json".split()
)
ADDERS = ("append", "add", "appendleft", "extend", "insert")
_TRANSPARENT = SAME_FUNCTION | PARSERS | SERIALIZERS | {"getattr", "zip", "map"}


class Sink(Struct, frozen=True, eq=False):
    """A value on its way out; `key` names the attribute, key or container that it goes to."""

    kind: Out
    site: Site
    value: E.Expr
    key: str | None = None


def sinks_of(calls: Calls, fn: Fn) -> Iterator[Sink]:
    """Every place of a function where a value goes somewhere else, displays taken apart."""
    for sink in (*_by_statement(calls, fn), *_by_expression(calls, fn)):
        for value, key in flatten(sink.value):
            yield Sink(sink.kind, sink.site, value, key or sink.key)


def flatten(value: E.Expr, key: str | None = None) -> Iterator[tuple[E.Expr, str | None]]:
    """The values that a display, choice or unpacking holds, each with its key; else the value."""
    match value:
        case E.Items():
            for item in value.items:
                yield from flatten(item, key)
        case E.Entries():
            for entry in value.entries:
                yield from flatten(entry.value, string(entry.key) or key)
        case E.Await() | E.Walrus() | E.Star():
            yield from flatten(value.value, key)
        case E.Choice():
            yield from (*flatten(value.then, key), *flatten(value.otherwise, key))
        case E.Logic():
            for part in value.values:
                yield from flatten(part, key)
        case E.Comp(kind="dict", value=inner) if inner is not None:
            yield from flatten(inner, key)
        case _:
            yield value, key


def _by_statement(calls: Calls, fn: Fn) -> Iterator[Sink]:
    statements = calls.program.statements(fn)
    shared = {n for at in statements if isinstance(at.stmt, S.Scope) for n in at.stmt.names}
    for at in statements:
        match at.stmt:
            case S.Return(value=value) if value is not None:
                yield Sink("returned", Site(value, at), value)
            case S.Assign(targets=targets, value=value) if value is not None:
                for target in targets:
                    yield from _stored(target, value, at, shared)
            case S.AugAssign(target=target, value=value):
                yield Sink("kept", Site(value, at), value, last_name(target))
            case _:
                continue


def _stored(target: E.Expr, value: E.Expr, at: Located, shared: set[str]) -> Iterator[Sink]:
    match target:
        case E.Attr(attr=attr):
            yield Sink("kept", Site(value, at), value, attr)
        case E.Index(index=index, value=base):
            yield Sink("kept", Site(value, at), value, string(index) or last_name(base))
        case E.Name(id=name) if name in shared:
            yield Sink("away", Site(value, at), value)
        case _:
            return


def _by_expression(calls: Calls, fn: Fn) -> Iterator[Sink]:
    for site in calls.program.sites(fn):
        match site.expr:
            case E.Yield(value=value) if value is not None:
                yield Sink("yielded", site, value)
            case E.Call(args=args) as call if args and not _keeps_quiet(calls, call, fn):
                kind: Out = "into" if calls.callees(site) else "away"
                key = _container(call)
                if key is not None and kind == "away":
                    kind = "kept"
                for arg in args:
                    yield Sink(kind, site, arg.value, key or arg.name)
            case _:
                continue


def _container(call: E.Call) -> str | None:
    """The name of the list or set that a call adds to."""
    func = call.func
    return last_name(func.value) if isinstance(func, E.Attr) and func.attr in ADDERS else None


def _keeps_quiet(calls: Calls, call: E.Call, fn: Fn) -> bool:
    """Whether a call only looks at its arguments, or hands them on as its own result."""
    names = calls.resolver.dotted(call.func, fn)
    if names & (LISTENERS | _TRANSPARENT):
        return True
    return isinstance(call.func, E.Attr) and call.func.attr in LOGGERS
