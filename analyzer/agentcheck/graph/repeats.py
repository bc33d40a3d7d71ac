"""Where a call that failed is made again: a loop around it, or the function calling itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from agentcheck.graph.bound import Bound, Loop
from agentcheck.graph.bounds import Loops
from agentcheck.graph.endings import Endings, inner_loop
from agentcheck.graph.handles import Ctx, Fn, Located, Site
from agentcheck.graph.text import last_name
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.kind import code_kind

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

Goes: TypeAlias = Callable[[Site], bool]
_COUNTS = frozenset({"count", "cycle", "repeat"})
_ORDER = frozenset({"<", "<=", ">", ">="})


class Repeat(Struct, frozen=True, eq=False):
    """A call that is made again after an exception. `again` is the loop or the call of itself.

    `counted` is where something ends the repeats, None where nothing was found to. `doubt` says
    why that cannot be told, and is empty when it can.
    """

    how: Literal["loop", "recursion"]
    site: Site
    again: Located
    attempt: S.Try
    bounds: tuple[Bound, ...] = ()
    counted: Site | None = None
    doubt: str = ""

    @property
    def fn(self) -> Fn:
        """The function it is in."""
        return self.again.fn


def find_repeats(graph: AgentGraph, goes_out: Goes) -> Iterator[Repeat]:
    """Every repeat, outside tests, of a call that `goes_out` takes for one that can fail."""
    finder = Loops(graph.tracer)
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test" or not _tries(graph, fn):
            continue
        calls = [s for s, _ in graph.program.calls(fn) if goes_out(s)]
        if calls:
            yield from _loops(graph, finder, fn, calls)
            yield from _recursions(graph, fn, calls)


def _tries(graph: AgentGraph, fn: Fn) -> bool:
    return any(type(at.stmt) is S.Try for at in graph.program.statements(fn))


def _loops(graph: AgentGraph, finder: Loops, fn: Fn, calls: list[Site]) -> Iterator[Repeat]:
    endings = Endings(graph.calls, fn)
    for at in graph.program.statements(fn):
        loop = at.stmt
        if not isinstance(loop, (S.While, S.For)) or not _endless(loop):
            continue
        inside = [s for s in calls if next(s.loops(), None) is loop]
        attempt = _attempt(graph, endings, fn, loop) if inside else None
        if attempt is not None:
            bounds = tuple(finder.bounds(loop, at, inside))
            yield Repeat("loop", inside[0], at, attempt, bounds)


def _endless(loop: Loop) -> bool:
    """A `for` over a list tries one thing after the other; one over `count()` repeats."""
    if isinstance(loop, S.While):
        return True
    return isinstance(loop.iter, E.Call) and last_name(loop.iter.func) in _COUNTS


def _attempt(graph: AgentGraph, endings: Endings, fn: Fn, loop: Loop) -> S.Try | None:
    """The `try` of a loop whose success leaves it, and one of whose handlers goes on."""
    for at in graph.program.statements(fn):
        stmt = at.stmt
        direct = isinstance(stmt, S.Try) and any(c.stmt is loop for c in at.around())
        if not direct or not isinstance(stmt, S.Try) or inner_loop(at, loop):
            continue
        ctx = Ctx(stmt, "body", at.up)
        leaves = endings.succeeds_out(at, ctx) or _satisfies(loop, stmt)
        if leaves and any(not endings.may(h.body) for h in stmt.handlers):
            return stmt
    return None


def _satisfies(loop: Loop, attempt: S.Try) -> bool:
    """`while not done: try: ...; done = True`: success sets what the loop's test asks for."""
    if not isinstance(loop, S.While):
        return False
    asked = {e.id for e in descend(loop.test) if isinstance(e, E.Name)}
    assigned = [s for s in (*attempt.body, *attempt.orelse) if isinstance(s, S.Assign)]
    return any(isinstance(t, E.Name) and t.id in asked for s in assigned for t in s.targets)


def _recursions(graph: AgentGraph, fn: Fn, calls: list[Site]) -> Iterator[Repeat]:
    """`except RateLimitError: return ask(text)` inside `ask` itself."""
    for again, _ in graph.program.calls(fn):
        attempt = _handled(again)
        if attempt is None or fn not in graph.calls.callees(again):
            continue
        tried = [s for s in calls if any(t is attempt for t in s.tries())]
        if tried:
            counted, doubt = _counts_down(graph, again, fn)
            yield Repeat("recursion", tried[0], again.at, attempt, (), counted, doubt)


def _handled(site: Site) -> S.Try | None:
    """The `try` in one of whose handlers a call stands."""
    for ctx in site.at.around():
        if isinstance(ctx.stmt, S.Try) and ctx.part == "handler":
            return ctx.stmt
    return None


def _counts_down(graph: AgentGraph, again: Site, fn: Fn) -> tuple[Site | None, str]:
    """What bounds calls of itself: an argument that moves, or a counter that is compared."""
    for param in fn.facts.params:
        given = graph.calls.argument(again, fn, param)
        if given is not None and not _same(given, param.name):
            moved = any(isinstance(e, E.Binary) for e in descend(given))
            return (again, "") if moved else (None, "it is called with other arguments")
    compared = next((s for s in graph.program.sites(fn) if _orders(s.expr)), None)
    if compared is not None:
        return compared, ""
    return None, "its arguments are spread" if graph.calls.spreads(again) else ""


def _same(given: E.Expr, name: str) -> bool:
    return isinstance(given, E.Name) and given.id == name


def _orders(expr: E.Expr) -> bool:
    return isinstance(expr, E.Compare) and bool(_ORDER & set(expr.ops))
