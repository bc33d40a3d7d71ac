"""Answers that a guard gives in the place of a person or a model that did not answer."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Function,
    S,
    Site,
    function_asks,
    last_name,
    string,
)
from agentcheck_rules.guards._doors import Block, Door, bodies
from agentcheck_rules.guards._verdicts import (
    guard_answer,
    is_verdict_key,
    lets_through,
    refuses,
)

_TERMINAL = frozenset({"isatty", "is_terminal", "is_tty", "has_terminal", "is_interactive"})
_PARSED = ("loads", "parse", "json", "model_dump", "extract_json", "parse_json")


def without_terminal(graph: AgentGraph, fn: Fn) -> Iterator[Door]:
    """What a guard answers where there is no terminal to ask at."""
    answer = guard_answer(fn)
    if answer is None and fn.index and _asks(graph, fn):
        answer = True
    for block in bodies(fn.facts.body) if answer is not None else ():
        for i, stmt in enumerate(block):
            returned = _unattended(graph, fn, block, i, stmt)
            if returned is None:
                continue
            if lets_through(returned.value, answer):
                yield Door(
                    fn, "terminal", fn.place(returned.span), open=True, other=fn.place(stmt.span)
                )
            elif refuses(returned.value, answer):
                yield Door(
                    fn, "terminal", fn.place(returned.span), open=False, other=fn.place(stmt.span)
                )


def _asks(graph: AgentGraph, fn: Fn) -> bool:
    return function_asks(graph.calls, fn, 1)


def _unattended(graph: AgentGraph, fn: Fn, block: Block, i: int, stmt: S.Stmt) -> S.Return | None:
    """The answer where the test says that nobody can be asked."""
    if isinstance(stmt, S.Return) and isinstance(stmt.value, E.Choice):
        there = _tests_terminal(graph, fn, stmt.value.test)
        if there is None:
            return None
        other = stmt.value.otherwise if there else stmt.value.then
        return S.Return(stmt.value.where, other)
    if not isinstance(stmt, S.If):
        return None
    there = _tests_terminal(graph, fn, stmt.test)
    if there is None:
        return None
    lacking: Block = stmt.orelse if there else stmt.body
    if there and not lacking:
        lacking = block[i + 1 :]
    return next((s for s in lacking if isinstance(s, S.Return)), None)


def _tests_terminal(graph: AgentGraph, fn: Fn, test: E.Expr) -> bool | None:
    """True for `isatty()`, False for `not isatty()`, None for another test."""
    if isinstance(test, E.Unary) and test.op == "not":
        inner = _tests_terminal(graph, fn, test.operand)
        return None if inner is None else not inner
    if isinstance(test, E.Name):
        origins = graph.tracer.local(test, fn)
        return True if any(_is_terminal(graph, o.expr, o.fn) for o in origins) else None
    return True if _is_terminal(graph, test, fn) else None


def _is_terminal(graph: AgentGraph, expr: E.Expr | None, fn: Fn) -> bool:
    if isinstance(expr, E.Attr):
        return expr.attr in _TERMINAL
    if not isinstance(expr, E.Call):
        return False
    if last_name(expr.func) in _TERMINAL:
        return True
    return any(
        last_name(call.func) == "isatty"
        for symbol in graph.resolver.of(expr.func, fn)
        if isinstance(symbol, Function)
        for _, call in graph.program.calls(symbol.fn)
    )


def by_default(graph: AgentGraph, fn: Fn) -> Iterator[Door]:
    """A helper told to say yes where it cannot ask: `confirm(text, default=True)`."""
    answer = guard_answer(fn)
    if answer is None:
        return
    for site, _ in graph.program.calls(fn):
        for callee in graph.calls.callees(site):
            for param in callee.facts.params:
                given = graph.calls.argument(site, callee, param)
                if given is None or not lets_through(given, answer):
                    continue
                unasked = _answers_unasked(graph, callee, param.name)
                if unasked is not None:
                    there = callee.place(unasked.span)
                    yield Door(fn, "default", site.place, open=True, other=there)


def _answers_unasked(graph: AgentGraph, fn: Fn, name: str) -> S.Return | None:
    """Where a function that asks a person gives a parameter back before it asked, or failing."""
    asked = [s.expr.span.line for s, _ in graph.program.calls(fn) if _is_asking(graph, s)]
    if not asked:
        return None
    for at in graph.program.statements(fn):
        stmt = at.stmt
        if isinstance(stmt, S.Return) and isinstance(stmt.value, E.Name) and stmt.value.id == name:
            inside = next((c for c in at.around() if isinstance(c.stmt, S.Try)), None)
            failed = inside is not None and inside.part == "handler"
            if (at.up is not None and stmt.span.line < min(asked)) or failed:
                return stmt
    return None


def _is_asking(graph: AgentGraph, site: Site) -> bool:
    names = graph.resolver.dotted(site.call.func, site.fn)
    return bool(names & {"input", "builtins.input", "click.confirm", "typer.confirm"}) or (
        last_name(site.call.func) in ("ainput", "ask", "prompt", "confirm", "prompt_async")
    )


def when_missing(graph: AgentGraph, fn: Fn) -> Iterator[Door]:
    """`verdict.get("approved", True)`: a reply without a verdict counts as yes."""
    for site, call in graph.program.calls(fn):
        receiver, key, value = _lookup(call)
        if receiver is None or not is_verdict_key(key) or not isinstance(value, E.Const):
            continue
        if not (guard_answer(fn) or _is_reply(graph, receiver, fn)):
            continue
        if value.value is True:
            yield Door(fn, "missing", site.place, open=True)
        elif value.value is False:
            yield Door(fn, "missing", site.place, open=False)


def _lookup(call: E.Call) -> tuple[E.Expr | None, str | None, E.Expr | None]:
    """The object, key and fallback of `x.get(key, fallback)` and `getattr(x, key, fallback)`."""
    plain = [a.value for a in call.args if a.name is None]
    if isinstance(call.func, E.Attr) and call.func.attr == "get" and len(plain) == 2:
        return call.func.value, string(plain[0]), plain[1]
    if isinstance(call.func, E.Name) and call.func.id == "getattr" and len(plain) == 3:
        return plain[0], string(plain[1]), plain[2]
    return None, None, None


def _is_reply(graph: AgentGraph, expr: E.Expr, fn: Fn) -> bool:
    """Whether a value was parsed from text, as a model's verdict is."""
    return any(
        isinstance(o.expr, E.Call) and (last_name(o.expr.func) or "") in _PARSED
        for o in graph.tracer.local(expr, fn)
    )
