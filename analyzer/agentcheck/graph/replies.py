"""What is read of each model's reply: why it ended, what it cost, what it said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.models import ModelCall
from agentcheck.graph.origins import Tracer
from agentcheck.graph.text import read_key
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

About = Literal["finish", "usage", "content", "tool_calls"]
LISTENERS = frozenset(
    "print str repr len isinstance hasattr type id bool format logging.info logging.debug "
    "logging.warning logging.error pprint.pprint rich.print".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A place that reads something of a reply, `depth` keys below it."""

    site: Site
    depth: int


@dataclass(slots=True, eq=False)
class Reply:
    """One model call and the places that read its reply.

    `escapes` are places where the whole reply goes somewhere that cannot be followed: stored, or
    handed to code outside the target. `returned` are those where a function that nobody in the
    target calls returns it.
    """

    call: ModelCall
    reads: dict[About, list[Read]] = field(default_factory=dict)
    escapes: list[Site] = field(default_factory=list)
    returned: list[Site] = field(default_factory=list)

    def read(self, about: About) -> list[Site]:
        """The places that read one kind of thing."""
        return [r.site for r in self.reads.get(about, [])]

    def reductions(self) -> list[Site]:
        """Where the reply is first reduced to its content, the rest of it left behind."""
        found = self.reads.get("content", []) + self.reads.get("tool_calls", [])
        shortest = min((r.depth for r in found), default=0)
        sites = {id(r.site.expr): r.site for r in found if r.depth == shortest}
        return sorted(sites.values(), key=lambda s: s.place)


def find_replies(graph: AgentGraph) -> list[Reply]:
    """The reply of every call that gives one, with all that is read of it anywhere."""
    replies = [Reply(c) for c in graph.model_calls if c.data.kind not in ("embedding", "poll")]
    by_call = {id(r.call.site.expr): r for r in replies}
    names = _names(replies)
    for fn in graph.program.every_function():
        for site in graph.program.sites(fn):
            key = read_key(site.expr)
            if key in names:
                _note_read(graph.tracer, site, by_call)
    for reply in replies:
        _follow(graph, reply)
    return replies


def _paths(call: ModelCall, about: About) -> tuple[tuple[str, ...], ...]:
    written = getattr(call.data, about)
    return tuple(tuple(part.removesuffix("[]") for part in path.split(".")) for path in written)


def _names(replies: list[Reply]) -> set[str]:
    abouts: tuple[About, ...] = ("finish", "usage", "content", "tool_calls")
    return {n for r in replies for a in abouts for path in _paths(r.call, a) for n in path}


def _note_read(tracer: Tracer, site: Site, by_call: dict[int, Reply]) -> None:
    for origin in tracer.of(site.expr, site.fn, up=4):
        reply = by_call.get(id(origin.expr)) if origin.kind == "call" else None
        if reply is None:
            continue
        for about in _about(reply.call, origin.names):
            reads = reply.reads.setdefault(about, [])
            if all(r.site.expr is not site.expr for r in reads):
                reads.append(Read(site, len(origin.names)))


def _about(call: ModelCall, names: tuple[str, ...]) -> Iterator[About]:
    plain = tuple(n for n in names if n != "json()")
    for about in ("finish", "usage"):
        paths = _paths(call, about)
        if any(path[-1] in plain for path in paths):
            yield about
    if any(plain[: len(path)] == path for path in _paths(call, "tool_calls")):
        yield "tool_calls"
    if any(plain[: len(path)] == path for path in _paths(call, "content")):
        yield "content"


def _follow(graph: AgentGraph, reply: Reply) -> None:
    """Follow the whole reply from its call through names and returns of the target."""
    seen: set[int] = set()
    queue = [reply.call.site]
    while queue:
        site = queue.pop()
        if id(site.expr) in seen or len(seen) > 60:
            continue
        seen.add(id(site.expr))
        for use in uses_of_value(graph.calls, site):
            if use.kind == "returned":
                callers = graph.calls.callers(use.site.fn)
                queue.extend(callers)
                if not callers:
                    reply.returned.append(use.site)
            elif use.kind == "away":
                reply.escapes.append(use.site)


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """What becomes of a value: returned, handed into the target, or away where nobody follows."""

    kind: Literal["returned", "into", "away"]
    site: Site


def uses_of_value(calls: Calls, site: Site) -> Iterator[Use]:
    """What becomes of the value of an expression, as a whole, in its function."""
    names = _assigned_names(site)
    if names is None:
        yield from _direct_use(calls, site)
        return
    for use in calls.program.sites(site.fn):
        if (
            isinstance(use.expr, E.Name)
            and use.expr.id in names
            and use.at.stmt is not site.at.stmt
        ):
            yield from _direct_use(calls, use)


def _assigned_names(site: Site) -> set[str] | None:
    """The names that the statement binds to exactly this value; None when it binds none."""
    stmt = site.at.stmt
    match stmt:
        case S.Assign(value=value, targets=targets) if value is not None and _is(value, site.expr):
            names = {t.id for t in targets if isinstance(t, E.Name)}
            return names or None
        case S.With(items=items):
            for item in items:
                if _is(item.value, site.expr) and isinstance(item.target, E.Name):
                    return {item.target.id}
            return None
        case _:
            return None


def _is(value: E.Expr, expr: E.Expr) -> bool:
    while isinstance(value, (E.Await, E.Walrus)):
        value = value.value
    return value is expr


def _direct_use(calls: Calls, site: Site) -> Iterator[Use]:
    """How the statement around a bare mention of a value uses it."""
    stmt = site.at.stmt
    if isinstance(stmt, S.Return) and stmt.value is not None and _carries(stmt.value, site.expr):
        yield Use("returned", site)
    elif isinstance(stmt, S.Assign) and stmt.value is not None and _is(stmt.value, site.expr):
        if any(isinstance(t, (E.Attr, E.Index)) for t in stmt.targets):
            yield Use("away", site)
    else:
        yield from _argument_use(calls, site)


def _carries(value: E.Expr, expr: E.Expr) -> bool:
    if isinstance(value, E.Items):
        return any(_is(item, expr) for item in value.items)
    return _is(value, expr)


def _argument_use(calls: Calls, site: Site) -> Iterator[Use]:
    for here in calls.program.sites(site.fn):
        if here.at.stmt is not site.at.stmt:
            continue
        if isinstance(here.expr, E.Yield) and here.expr.value is site.expr:
            yield Use("returned", site)
        elif isinstance(here.expr, E.Call) and any(_is(a.value, site.expr) for a in here.expr.args):
            if calls.callees(here):
                yield Use("into", here)
            elif not _listens(calls, here.expr, site.fn):
                yield Use("away", here)


def _listens(calls: Calls, call: E.Call, fn: Fn) -> bool:
    """Whether a call only looks at its arguments: printing, logging, type tests."""
    names = calls.resolver.dotted(call.func, fn)
    if names & LISTENERS:
        return True
    last = call.func.attr if isinstance(call.func, E.Attr) else ""
    return last in ("debug", "info", "warning", "error", "exception", "print", "log")
