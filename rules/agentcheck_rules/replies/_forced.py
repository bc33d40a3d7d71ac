"""Requests that force a tool call on every turn, and what ends the turns."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Ctx,
    E,
    Fn,
    Located,
    ModelCall,
    S,
    Site,
    argument,
    code_kind,
    descend,
    read_key,
    statements_below,
    string,
)

_OPEN = frozenset({"auto", "none"})
_CALLS = frozenset({"tool_calls", "function_calls", "function_call"})
_REASONS = frozenset({"finish_reason", "stop_reason"})
# Reasons that say the model is done, and those that say it called a tool.
_DONE = frozenset({"stop", "end_turn"})
_CALLED = frozenset({"tool_calls", "tool_use", "function_call"})


def forces(graph: AgentGraph, choice: E.Expr | None, fn: Fn) -> bool:
    """Whether a tool choice is always one that leaves no reply without a call."""
    origins = graph.tracer.of(choice, fn) if choice is not None else ()
    return (
        bool(origins)
        and all(_forces(o.expr) for o in origins if not o.steps)
        and all(not o.steps for o in origins)
    )


def _forces(expr: E.Expr | None) -> bool:
    if isinstance(expr, E.Const):
        return isinstance(expr.value, str) and expr.value not in _OPEN
    if isinstance(expr, E.Entries):
        kinds = [string(e.value) for e in expr.entries if e.key and string(e.key) == "type"]
        return len(kinds) == 1 and kinds[0] in ("function", "tool", "any")
    return False


def forced_turns(graph: AgentGraph) -> Iterator[tuple[AgentLoop, ModelCall]]:
    """Every loop outside tests with a model call that forces a tool call on each turn."""
    for loop in graph.loops:
        if code_kind(loop.fn.file.path) == "test":
            continue
        for site in loop.sites:
            for end in graph.drives.ends_of(site):
                direct = isinstance(end, ModelCall) and end.site.expr is site.expr
                given = argument(end.call, "tool_choice") if direct else None
                if isinstance(end, ModelCall) and forces(graph, given, site.fn):
                    yield loop, end


def exits_of(graph: AgentGraph, loop: AgentLoop) -> tuple[list[Located], list[Located]]:
    """The ways out of a loop: those that only a reply without a call takes, and all others."""
    below = {id(s) for s in statements_below(loop.stmt)}
    closed, others = list[Located](), list[Located]()
    for at in graph.program.statements(loop.fn):
        if id(at.stmt) in below and _leaves(at, loop):
            tests = [c for c in _inside(at, loop) if isinstance(c.stmt, S.If)]
            shut = any(_without_call(c) for c in tests) or _after_call(graph, at, loop)
            (closed if shut else others).append(at)
    return closed, others


def _leaves(at: Located, loop: AgentLoop) -> bool:
    if isinstance(at.stmt, (S.Return, S.Raise)):
        return True
    inner = next((c.stmt for c in at.around() if isinstance(c.stmt, (S.For, S.While))), None)
    return isinstance(at.stmt, S.Jump) and at.stmt.kind == "break" and inner is loop.stmt


def _inside(at: Located, loop: AgentLoop) -> Iterator[Ctx]:
    for ctx in at.around():
        if ctx.stmt is loop.stmt:
            return
        yield ctx


def _without_call(ctx: Ctx) -> bool:
    """Whether a branch is taken only by a reply that holds no tool call."""
    answer = _tells_call(ctx.stmt.test) if isinstance(ctx.stmt, S.If) else None
    return answer is not None and answer == (ctx.part == "orelse")


def _tells_call(test: E.Expr) -> bool | None:
    """True for a test that holds for replies with a call, False for one of those without."""
    match test:
        case E.Unary(op="not", operand=operand):
            inner = _tells_call(operand)
            return None if inner is None else not inner
        case E.Compare(left=left, ops=(("is" | "is not") as op,), rights=(E.Const(value=None),)):
            return op == "is not" if read_key(left) in _CALLS else None
        case E.Compare(left=left, ops=(("==" | "!=") as op,), rights=(right,)):
            if read_key(left) not in _REASONS or string(right) not in _DONE | _CALLED:
                return None
            return (op == "==") == (string(right) in _CALLED)
        case _:
            return True if read_key(test) in _CALLS else None


def _after_call(graph: AgentGraph, at: Located, loop: AgentLoop) -> bool:
    """Whether an earlier branch of the same block goes on with the next turn for every call."""
    for other in graph.program.statements(loop.fn):
        stmt = other.stmt
        before = stmt.span.line < at.stmt.span.line
        if isinstance(stmt, S.If) and before and _block(other) == _block(at):
            last = stmt.body[-1]
            goes_on = isinstance(last, S.Jump) and last.kind == "continue"
            if goes_on and _tells_call(stmt.test) is True:
                return True
    return False


def _block(at: Located) -> tuple[int, str, int] | None:
    return (id(at.up.stmt), at.up.part, at.up.index) if at.up is not None else None


def bound_for_good(graph: AgentGraph) -> Iterator[tuple[Site, Site]]:
    """`bind_tools(..., tool_choice="any")` in a graph that only a reply without a call leaves.

    Each with the `tools_condition` of its file; files that also bind tools freely are left out.
    """
    for use in graph.program.call_index.get("add_conditional_edges", []):
        path = use.fn.file.path
        if code_kind(path) == "test" or not _by_condition(graph, use):
            continue
        bound = [
            s for s in graph.program.call_index.get("bind_tools", []) if s.fn.file.path == path
        ]
        if bound and all(forces(graph, argument(s.call, "tool_choice"), s.fn) for s in bound):
            yield bound[0], use


def _by_condition(graph: AgentGraph, use: Site) -> bool:
    name = "langgraph.prebuilt.tools_condition"
    return any(
        name in graph.resolver.dotted(e, use.fn)
        for a in use.call.args
        for e in descend(a.value)
        if isinstance(e, (E.Name, E.Attr))
    )
