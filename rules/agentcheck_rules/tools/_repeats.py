"""Effects that happen once more with every call: retried, made anew, or before a pause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    S,
    Site,
    acts_anew_by_name,
    code_kind,
    descend,
    dotted,
    last_name,
    lazy_re,
    statements_below,
)

KEY = lazy_re(
    r"idempoten|dedup|request_?id|client_?token|nonce|attempt_?(id|key)|once|already|on conflict|"
    r"on_conflict|or ignore|upsert|get_or_create|ensure_|unique",
    re.IGNORECASE,
)
_POST = lazy_re(r"^(requests|httpx|stripe\.(\w+\.)+|smtplib\.\w+)\.?(post|create|send\w+)$")
# Methods of plain containers and of logs that share a verb with an act.
_PLAIN = frozenset("append insert add pay order post send place book issue".split())
_RETRIES = lazy_re(r"(^|\.)(retry|retrying|on_exception|retry_with_\w+|with_retry)$")


def has_key(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a function's names and texts speak of a key or a guard against a second time."""
    said = [p.name for p in fn.facts.params]
    for site in graph.program.sites(fn):
        match site.expr:
            case E.Name(id=word) | E.Attr(attr=word):
                said.append(word)
            case E.Const(value=str() as word) if word != fn.facts.doc:
                said.append(word)
            case E.Call(args=args):
                said += [a.name for a in args if a.name is not None]
            case _:
                continue
    doc = fn.facts.doc or ""
    return any(KEY.search(word) for word in said if word.strip() != doc.strip())


def is_effect(graph: AgentGraph, site: Site) -> bool:
    """Whether a call acts anew each time: a POST, or a name of two words that says so."""
    names = graph.resolver.dotted(site.call.func, site.fn)
    if any(_POST.match(n) for n in names):
        return True
    last = last_name(site.call.func) or ""
    return last not in _PLAIN and "_" in last and acts_anew_by_name(last)


def paused(graph: AgentGraph) -> Iterator[tuple[Site, Site, bool]]:
    """Effects before LangGraph's `interrupt` in one function: effect, pause, is it guarded."""
    for pause in graph.program.call_index.get("interrupt", ()):
        fn = pause.fn
        names = graph.resolver.dotted(pause.call.func, fn)
        if not any(n.startswith("langgraph.") for n in names) or code_kind(fn.file.path) == "test":
            continue
        for site, call in graph.program.calls(fn):
            if call.span < pause.expr.span and is_effect(graph, site) and not _inside(pause, call):
                yield (
                    site,
                    pause,
                    has_key(graph, fn) or _guarded(graph, site) or _cached(graph, site),
                )


def _inside(pause: Site, call: E.Call) -> bool:
    return any(e is call for e in descend(pause.expr))


def _guarded(graph: AgentGraph, site: Site) -> bool:
    """Whether a test before the effect, or around it, may leave it out the second time."""
    if any(isinstance(c.stmt, S.If) for c in site.around()):
        return True
    return any(
        isinstance(at.stmt, S.If)
        and at.stmt.span < site.expr.span
        and any(isinstance(s, S.Return) for s in statements_below(at.stmt))
        for at in graph.program.statements(site.fn)
    )


def _cached(graph: AgentGraph, site: Site) -> bool:
    """Whether the callee is a LangGraph task, whose result is kept when the node runs again."""
    return any(
        last_name(d.func if isinstance(d, E.Call) else d) == "task"
        for callee in graph.calls.callees(site)
        for d in callee.facts.decorators
    )


def retried(graph: AgentGraph, fn: Fn) -> Iterator[tuple[Site, E.Expr | S.Stmt, Fn]]:
    """Effects of a tool that are repeated on failure: the effect, what repeats it, and where."""
    effects = [s for s, _ in graph.program.calls(fn) if is_effect(graph, s)]
    if not effects:
        return
    for decorator in fn.facts.decorators:
        name = dotted(decorator.func if isinstance(decorator, E.Call) else decorator) or ""
        if _RETRIES.search(name):
            yield effects[0], decorator, fn
    for site in effects:
        if (loop := _retry_loop(site)) is not None:
            yield site, loop, fn
    for caller in _callers(graph, fn):
        if (loop := _retry_loop(caller)) is not None:
            yield effects[0], loop, caller.fn


def _callers(graph: AgentGraph, fn: Fn) -> Iterator[Site]:
    """Calls of a tool's function, also through `.run`, `.invoke` and the like of the tool."""
    yield from graph.calls.callers(fn)
    for name in ("run", "invoke", "ainvoke", "arun", "func", "on_invoke_tool"):
        for site in graph.program.call_index.get(name, ()):
            func = site.call.func
            named = isinstance(func, E.Attr) and last_name(func.value) == fn.name
            if named and graph.program.together(site.fn, fn):
                yield site


def _retry_loop(site: Site) -> S.For | S.While | None:
    """The loop that makes a failed call again: its `try` is inside and a handler goes on."""
    loops = list(site.loops())
    for ctx in site.around():
        if isinstance(ctx.stmt, (S.For, S.While)):
            break
        if isinstance(ctx.stmt, S.Try) and ctx.part == "body" and loops:
            goes_on = any(
                not isinstance(h.body[-1], (S.Raise, S.Return)) for h in ctx.stmt.handlers
            )
            if goes_on and _ends_on_success(loops[0], ctx.stmt):
                return loops[0]
    return None


def _ends_on_success(loop: S.For | S.While, tried: S.Try) -> bool:
    """Whether success leaves the loop, so that a further turn is a further attempt."""
    below = [s for top in (*tried.body, *tried.orelse) for s in (top, *statements_below(top))]
    after = loop.body[-1]
    ends = [s for s in below if isinstance(s, S.Return) or _is_break(s)]
    return bool(ends) or isinstance(after, S.Return) or _is_break(after)


def _is_break(stmt: S.Stmt) -> bool:
    return isinstance(stmt, S.Jump) and stmt.kind == "break"
