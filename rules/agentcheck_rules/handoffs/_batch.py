"""Which expressions hold the tool calls of one reply, or something made of each of them."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    S,
    answers_each,
    argument,
    descend,
    last_name,
    part,
    read_key,
    statements_below,
    string,
)

PLURALS = frozenset({"tool_calls", "toolcalls", "function_calls", "tool_uses"})
CALL_TYPES = frozenset({"tool_use", "function_call", "tool_call", "custom_tool_call"})
_SHAPED = frozenset("enumerate zip list tuple sorted reversed map gather as_completed".split())


def is_call_loop(graph: AgentGraph, loop: S.For, fn: Fn) -> bool:
    """Whether a loop goes over the calls of one reply, and over more than the first."""
    one = _is_one(loop.iter)
    return is_batch(graph, loop.iter, fn) or (not one and answers_each(loop)) or _over_blocks(loop)


def is_batch(graph: AgentGraph, expr: E.Expr, fn: Fn, depth: int = 5) -> bool:
    """Whether an expression is a list with one element for each call of a reply."""
    if depth < 0 or _is_one(expr):
        return False
    match expr:
        case E.Comp(kind="list" | "generator", loops=loops):
            return is_batch(graph, loops[0].iter, fn, depth - 1)
        case E.Await() | E.Star():
            return is_batch(graph, expr.value, fn, depth - 1)
        case E.Logic(values=values):
            return any(is_batch(graph, v, fn, depth - 1) for v in values)
        case E.Call(args=args) if last_name(expr.func) in _SHAPED:
            return any(is_batch(graph, a.value, fn, depth - 1) for a in args)
        case E.Name():
            return _named(graph, expr, fn, depth)
        case _:
            return (last_name(expr) or "").lower() in PLURALS or part(graph, expr, fn) == "call"


def _named(graph: AgentGraph, name: E.Name, fn: Fn, depth: int) -> bool:
    """A name that is not bound to the first call alone, and is bound to a batch or called one."""
    given = [b.expr for b in graph.program.scope(fn).get(name.id, ()) if b.how == "value"]
    if any(e is not None and _is_one(e) for e in given):
        return False
    if any(e is not None and is_batch(graph, e, fn, depth - 1) for e in given):
        return True
    return name.id.lower() in PLURALS or part(graph, name, fn) == "call"


def _is_one(expr: E.Expr) -> bool:
    """`calls[:1]`, `calls[-1:]`, `[calls[0]]`."""
    match expr:
        case E.Index(index=E.Slice(lower=lower, upper=upper)):
            return _number(upper) == 1 or (_number(lower) == -1 and upper is None)
        case E.Items(items=(one,)):
            return isinstance(one, E.Index)
        case E.Logic(values=values):
            return any(_is_one(v) for v in values)
        case _:
            return False


def _number(expr: E.Expr | None) -> int | None:
    match expr:
        case E.Const(value=int() as value):
            return value
        case E.Unary(op="-", operand=E.Const(value=int() as value)):
            return -value
        case _:
            return None


def _over_blocks(loop: S.For) -> bool:
    """A loop over content blocks that looks for those which are tool calls."""
    if not isinstance(loop.target, E.Name) or _is_one(loop.iter):
        return False
    return any(
        isinstance(stmt, S.If) and _tests_type(stmt.test, loop.target.id)
        for stmt in statements_below(loop)
    )


def _tests_type(test: E.Expr, name: str) -> bool:
    return any(
        isinstance(e, E.Compare)
        and read_key(e.left) == "type"
        and any(isinstance(n, E.Name) and n.id == name for n in descend(e.left))
        and any(string(r) in CALL_TYPES for r in e.rights)
        for e in descend(test)
    )


def last_of_batch(graph: AgentGraph, fn: Fn) -> Iterator[tuple[E.Index, E.Expr]]:
    """`handoffs[-1]` of a list made of a reply's calls, with what the list is made by."""
    for site in graph.program.shaped(fn, E.Index):
        taken = site.expr
        if type(taken) is not E.Index or not isinstance(taken.value, E.Name):
            continue
        if _number(taken.index) == -1:
            for binding in graph.program.scope(fn).get(taken.value.id, ()):
                made = binding.expr if binding.how == "value" else None
                if isinstance(made, E.Comp) and is_batch(graph, made, fn):
                    yield taken, made


def counts_batch(graph: AgentGraph, test: E.Expr, fn: Fn) -> bool:
    """Whether a test tells one call of a reply from several: `len(transfers) > 1`."""
    return any(
        isinstance(e, E.Compare) and _number(e.rights[0]) in (1, 2) and _counted(graph, e.left, fn)
        for e in descend(test)
    )


def _counted(graph: AgentGraph, expr: E.Expr, fn: Fn) -> bool:
    match expr:
        case E.Call(func=E.Name(id="len" | "sum"), args=(one, *_)):
            return is_batch(graph, one.value, fn)
        case _:
            return False


def one_call_a_reply(graph: AgentGraph, calls: E.Expr, fn: Fn) -> Place | None:
    """Where parallel tool calls are switched off for every reply that the calls come from."""
    origins = {id(o.expr) for o in graph.tracer.of(calls, fn) if o.kind == "call"}
    asked = [c for c in graph.model_calls if id(c.site.expr) in origins]
    off = [_off(c.call, c.data.parallel_keyword) for c in asked]
    if not off or not all(off):
        return None
    return asked[0].site.place


def _off(call: E.Call, keyword: str | None) -> bool:
    """`parallel_tool_calls=False`, `tool_choice={..., "disable_parallel_tool_use": True}`."""
    for name in {keyword or "", "parallel_tool_calls", "tool_choice"}:
        given = argument(call, name.partition(".")[0])
        if isinstance(given, E.Const) and given.value is False:
            return True
        if isinstance(given, E.Entries) and any(_disables(entry) for entry in given.entries):
            return True
    return False


def _disables(entry: E.Entry) -> bool:
    on = isinstance(entry.value, E.Const) and entry.value.value is True
    return on and string(entry.key) == "disable_parallel_tool_use"
