"""Texts by which a tool claims that it worked, and bodies that could not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Located,
    S,
    Site,
    Span,
    descend,
    last_name,
    lazy_re,
)
from agentcheck_rules.tools._bodies import falls_through, said_in, texts

CLAIM = lazy_re(
    r"success(?:ful|fully)?\b|\bdone\b|\b(?:has|have|was|were) been\b|"
    r"\b(?:sent|created|initiated|booked|cancel+ed|refunded|updated|deleted|removed|scheduled|"
    r"submitted|placed|processed|applied|confirmed|changed|completed|posted|paid|published|"
    r"transferred|registered|notified|reserved|rescheduled|escalated|ordered|saved|added)\b",
    re.IGNORECASE,
)
DENIAL = lazy_re(
    r"\bno\b|\bnot\b|\bnothing\b|\bfail|\berror|could(?: not|n't)|\bunable|\binvalid|\bunknown|"
    r"\bmissing|\bdenied|\bcannot|\bdraft",
    re.IGNORECASE,
)
STAND_IN = lazy_re(
    r"\bmock|\bsimulat|\bdummy|\bfake|placeholder|\bstub|\bdemo\b|in a real|in production|"
    r"would (?:be|call|send|have)",
    re.IGNORECASE,
)
# Calls that change nothing outside the function. Methods count where they only read or format.
_IDLE = lazy_re(
    r"^(print|str|repr|len|int|float|bool|round|max|min|sum|dict|list|set|tuple|sorted|range|zip|"
    r"enumerate|format|isinstance|abs|any|all|pprint\.\w+|json\.(dumps|loads)|time\.\w+|"
    r"asyncio\.sleep|random\.\w+|uuid\.\w+|datetime(\.\w+)+|logging(\.\w+)+|math\.\w+|re\.\w+|"
    r"secrets\.\w+|textwrap\.\w+|typing\.cast|loguru\.logger\.\w+|rich\.print)$"
)
_IDLE_METHODS = frozenset(
    "info debug warning error exception format join strip lower upper split isoformat strftime "
    "title get items keys values hex replace".split()
)


def claims(graph: AgentGraph, fn: Fn) -> Iterator[tuple[Site, bool]]:
    """Where a body claims success, with whether the model is told: a result or a print.

    Failing results and logs are left out.
    """
    for at in graph.program.statements(fn):
        for expr, told in _spoken(graph, at.stmt, fn):
            said = texts([expr])
            if CLAIM.search(said) and not DENIAL.search(said):
                yield Site(expr, at), told


def _spoken(graph: AgentGraph, stmt: S.Stmt, fn: Fn) -> Iterator[tuple[E.Expr, bool]]:
    if isinstance(stmt, S.Return) and stmt.value is not None:
        yield from ((e, True) for e in _literals(graph, stmt.value, fn))
    match stmt:
        case S.Return(value=value) if value is not None and not _calls_out(graph, value, fn):
            yield value, True
        case S.Do(value=E.Call(func=E.Name(id="print"), args=args)) if args:
            yield args[0].value, False
        case _:
            return


def _literals(graph: AgentGraph, value: E.Expr, fn: Fn) -> Iterator[E.Expr]:
    """The texts behind the names in a result: `answer` in `{"answer": answer}`."""
    for name in [e for e in descend(value) if isinstance(e, E.Name)]:
        for origin in graph.tracer.local(name, fn):
            shown = origin.expr
            if shown is not None and origin.fn is fn and isinstance(shown, (E.Const, E.Template)):
                yield shown


def _calls_out(graph: AgentGraph, value: E.Expr, fn: Fn) -> bool:
    return any(isinstance(e, E.Call) and not _idle_call(graph, e, fn) for e in descend(value))


def _idle_call(graph: AgentGraph, call: E.Call, fn: Fn) -> bool:
    names = graph.resolver.dotted(call.func, fn)
    if names and all(_IDLE.match(n) for n in names):
        return True
    return isinstance(call.func, E.Attr) and call.func.attr in _IDLE_METHODS


def does_nothing(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a body surely changes nothing outside itself: it only makes and shows texts."""
    for at in graph.program.statements(fn):
        match at.stmt:
            case S.Scope() | S.Delete() | S.With() | S.Define():
                return False
            case S.Assign(targets=targets):
                if not all(_is_own(graph, t, fn) for t in targets):
                    return False
            case S.AugAssign(target=target) if not _is_own(graph, target, fn):
                return False
            case _:
                continue
    return all(
        _idle_call(graph, c, fn) or _fills_own(graph, c, fn) for _, c in graph.program.calls(fn)
    ) and not any(
        isinstance(s.expr, (E.Await, E.Yield))
        for s in graph.program.sites(fn)
        if not _sleeps(s.expr)
    )


def _sleeps(expr: E.Expr) -> bool:
    value = expr.value if isinstance(expr, E.Await) else None
    return isinstance(value, E.Call) and last_name(value.func) == "sleep"


def _is_own(graph: AgentGraph, target: E.Expr, fn: Fn) -> bool:
    """Whether what is set is the function's own: a local name, or a part of a value made here."""
    if isinstance(target, E.Items):
        return all(_is_own(graph, t, fn) for t in target.items)
    if isinstance(target, E.Name):
        return True
    while isinstance(target, (E.Index, E.Attr)):
        target = target.value
    origins = graph.tracer.local(target, fn)
    return bool(origins) and all(
        o.kind == "display" and o.fn is fn and not o.steps for o in origins
    )


def _fills_own(graph: AgentGraph, call: E.Call, fn: Fn) -> bool:
    match call.func:
        case E.Attr(attr="append" | "extend" | "update" | "add", value=E.Name() as base):
            made = graph.tracer.local(base, fn)
            return bool(made) and all(o.kind == "display" and o.fn is fn for o in made)
        case _:
            return False


def is_stand_in(fn: Fn) -> bool:
    """Whether a body says of itself that it stands for something else."""
    lines = fn.file.lines[fn.facts.span.line - 1 : fn.facts.span.end_line]
    return bool(STAND_IN.search("\n".join(lines)))


def passed_failures(graph: AgentGraph, site: Site) -> Iterator[Span]:
    """Branches before a claim that tell of a failure and then run on into the claim."""
    around = {id(c.stmt) for c in site.around()}
    for at in graph.program.statements(site.fn):
        if at.stmt.span >= site.at.stmt.span or id(at.stmt) in around or not _before(at, around):
            continue
        if isinstance(at.stmt, S.If):
            for block in (at.stmt.body, at.stmt.orelse):
                if block and _denies(block) and falls_through(block):
                    yield block[0].span
        elif isinstance(at.stmt, S.Try) and falls_through((*at.stmt.body, *at.stmt.orelse)):
            for handler in at.stmt.handlers:
                if falls_through(handler.body) and _swallows(handler.body):
                    yield handler.span


def _before(at: Located, around: set[int]) -> bool:
    """Whether a statement stands in the same blocks as the claim, so that it runs into it."""
    return all(id(c.stmt) in around for c in at.around())


def _denies(block: tuple[S.Stmt, ...]) -> bool:
    only_tells = all(isinstance(s, (S.Do, S.Jump)) for s in block)
    return only_tells and bool(DENIAL.search(said_in(block)))


def _swallows(block: tuple[S.Stmt, ...]) -> bool:
    """A handler that only tells or passes: nothing that is read later is set in it."""
    return all(isinstance(s, (S.Do, S.Jump)) for s in block)
