"""Whether an exception at a place is caught before it ends the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from agentcheck.graph.handles import Ctx, Fn, Site
from agentcheck.graph.nets import exit_swallows, loose_uses, manager_yields, wrapped_calls
from agentcheck.graph.raised import WIDE, Names, among, caught_names, raised_on, takes
from agentcheck.graph.text import last_name
from agentcheck.graph.toolcalls import tool_call_loops
from agentcheck.graph.waits import is_deferred, is_returned, keeps_exceptions, waits
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.kind import code_kind

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

DEPTH = 5
MANY = 16
_COUNTED = frozenset({"range", "count", "repeat"})


class Protection(Struct):
    """What catches an exception: the `try` (or `with`) and its function; None when nothing does.

    `unsure` says why it cannot be told, and is empty when it can. `searched` names the functions
    that were looked through.
    """

    guard: tuple[S.Stmt, Fn] | None = None
    searched: list[str] = field(default_factory=list)
    unsure: str = ""

    @property
    def open(self) -> bool:
        """Whether it is certain that nothing catches the exception."""
        return self.guard is None and not self.unsure


class _Caught(Struct, frozen=True):
    stmt: S.Stmt
    fn: Fn


class _Unsure(Struct, frozen=True):
    why: str


class _Leaves(Struct, frozen=True):
    """The exception leaves what was looked at, under these names."""

    names: Names


_Answer: TypeAlias = _Caught | _Unsure | None


def protection(graph: AgentGraph, site: Site, names: Sequence[str] = ()) -> Protection:
    """Look for a handler of any of the exception names, here and then in every caller.

    Handlers of `Exception` always count. A caller's handler counts only if all callers have one,
    and only inside the agent loop: one around the loop catches the exception after the run is
    over. An exception that a handler turns into another one is followed under its new name.
    """
    result = Protection()
    search = _Search(graph, result)
    answer = search.at(site, frozenset(names) | WIDE, DEPTH)
    match answer or search.caught_by_name():
        case _Caught(stmt, fn):
            result.guard = (stmt, fn)
        case _Unsure(why):
            result.unsure = why
        case None:
            pass
    return result


def catches_all(graph: AgentGraph, fn: Fn) -> bool:
    """Whether no exception of the body of a function gets out of it, decorators included."""
    search = _Search(graph, Protection())
    if isinstance(search.decorated(fn, WIDE), _Caught):
        return True
    body = [s for s in fn.facts.body if not isinstance(s, (S.Define, S.Bring, S.Scope))]
    working = [s for s in body if not _is_plain(s)]
    return bool(working) and all(
        isinstance(search.through(Ctx(s, "body", None), fn, WIDE), _Caught) for s in working
    )


def _is_plain(stmt: S.Stmt) -> bool:
    """A docstring, or a literal put under a name or returned."""
    value = stmt.value if isinstance(stmt, (S.Assign, S.Do, S.Return)) else None
    empty = isinstance(value, (E.Items, E.Entries)) and not list(_parts(value))
    return isinstance(stmt, S.Jump) or isinstance(value, (E.Const, E.Name)) or empty


def _parts(value: E.Items | E.Entries) -> Iterable[object]:
    return value.items if isinstance(value, E.Items) else value.entries


class _Search:
    def __init__(self, graph: AgentGraph, out: Protection) -> None:
        self.graph = graph
        self.out = out
        self.busy: set[Fn] = set()
        self.renamed: set[str] = set()
        self.uncalled: list[Fn] = []
        self.known: dict[tuple[Fn, Names, bool], _Answer] = {}

    def at(self, site: Site, names: Names, depth: int) -> _Answer:
        """What catches an exception at a site, in its function or further out."""
        if site.fn.qualname not in self.out.searched:
            self.out.searched.append(site.fn.qualname)
        found = self.within(site.fn, site.around(), names)
        if not isinstance(found, _Leaves):
            return found
        wrapped = self.decorated(site.fn, found.names)
        return (
            self.above(site.fn, wrapped.names, depth) if isinstance(wrapped, _Leaves) else wrapped
        )

    def caught_by_name(self) -> _Unsure | None:
        """Doubt where an exception got a name that a handler asks for, made to be caught there.

        Only where it leaves a function that no caller was found of and that asks no model itself.
        """
        lost = [fn for fn in self.uncalled if not self.graph.drives.sites.get(fn)]
        near = caught_names(self.graph, lost[0]) if lost and self.renamed else frozenset[str]()
        asked = self.renamed & near
        return _Unsure(f"`{min(asked)}` is raised for it, and caught elsewhere") if asked else None

    def within(self, fn: Fn, around: Iterable[Ctx], names: Names) -> _Answer | _Leaves:
        """The same inside one function, from the innermost context outwards."""
        doubt: _Unsure | None = None
        for ctx in around:
            if self._ends_run(ctx, fn):
                return doubt
            found = self.through(ctx, fn, names)
            if isinstance(found, _Caught):
                return found
            if isinstance(found, _Unsure):
                doubt = found
            elif isinstance(found, _Leaves):
                names = found.names
        return doubt or _Leaves(names)

    def through(self, ctx: Ctx, fn: Fn, names: Names) -> _Answer | _Leaves:
        """What one `try` or `with` does to an exception in its body."""
        match ctx.stmt:
            case S.Try() as stmt if ctx.part == "body":
                return self._tried(stmt, fn, names)
            case S.With() as stmt if ctx.part == "body":
                found: _Answer | _Leaves = _Leaves(names)
                for item in reversed(stmt.items):
                    if isinstance(found, _Leaves):
                        found = self._entered(item.value, stmt, fn, found.names)
                return found
            case _:
                return _Leaves(names)

    def _tried(self, stmt: S.Try, fn: Fn, names: Names) -> _Answer | _Leaves:
        doubt = False
        for handler in stmt.handlers:
            taken = takes(self.graph, handler, fn, names)
            doubt = doubt or taken is None
            if taken:
                raised = raised_on(self.graph, handler, fn, names)
                self.renamed |= (raised or names) - names
                return _Caught(stmt, fn) if raised is None else _Leaves(raised)
        return _Unsure("the type of a handler cannot be resolved") if doubt else _Leaves(names)

    def _entered(self, value: E.Expr, stmt: S.With, fn: Fn, names: Names) -> _Answer | _Leaves:
        if isinstance(value, E.Call) and last_name(value.func) == "suppress":
            taken = [among(self.graph, a.value, fn, names) for a in value.args]
            caught = any(taken)
            return _Caught(stmt, fn) if caught else _Leaves(names)
        swallows = exit_swallows(self.graph, value, fn)
        if swallows is not False:
            return _Caught(stmt, fn) if swallows else _Unsure("a context manager may catch it")
        yields = manager_yields(self.graph, value, fn)
        found = [self.within(s.fn, s.around(), names) for s in yields]
        if found and all(isinstance(f, _Caught) for f in found):
            return _Caught(stmt, fn)
        return next((f for f in found if isinstance(f, _Leaves)), _Leaves(names))

    def decorated(self, fn: Fn, names: Names) -> _Answer | _Leaves:
        """What the wrappers around a function do to an exception that leaves it."""
        for decorator in reversed(fn.facts.decorators):
            sites = wrapped_calls(self.graph, decorator, fn)
            found = [self.within(s.fn, s.around(), names) for s in sites]
            if found and all(isinstance(f, _Caught) for f in found):
                return next(f for f in found if isinstance(f, _Caught))
            doubt = next((f for f in found if isinstance(f, _Unsure)), None)
            if doubt is not None:
                return doubt
            names = next((f.names for f in found if isinstance(f, _Leaves)), names)
        return _Leaves(names)

    def _ends_run(self, ctx: Ctx, fn: Fn) -> bool:
        """Whether what is outside a context is outside the run, a loop that asks a model."""
        stmts = {id(loop.stmt) for loop in self.graph.loops if loop.fn is fn}
        if id(ctx.stmt) not in stmts or ctx.part not in ("body", "test"):
            return False
        if not isinstance(ctx.stmt, S.For):
            return True
        if any(s is ctx.stmt for s in tool_call_loops(self.graph, fn)):
            return False
        counted = isinstance(ctx.stmt.iter, E.Call) and last_name(ctx.stmt.iter.func) in _COUNTED
        outer = ctx.up.chain() if ctx.up else iter(())
        return counted or not any(id(c.stmt) in stmts for c in outer)

    def above(self, fn: Fn, names: Names, depth: int, *, coroutine: bool = False) -> _Answer:
        """What the callers do to an exception that leaves a function: the worst of all of them."""
        if depth == 0:
            return _Unsure("callers further out were not followed")
        key = (fn, names, coroutine)
        if key not in self.known:
            self.busy.add(fn)
            answers = list(self._callers(fn, names, depth - 1, coroutine=coroutine))
            self.busy.discard(fn)
            self.known[key] = worst(answers)
        return self.known[key]

    def _callers(self, fn: Fn, names: Names, depth: int, *, coroutine: bool) -> Iterator[_Answer]:
        callers = self._shipped(self.graph.calls.callers(fn), fn)
        for site in callers[:MANY]:
            if site.fn not in self.busy:
                yield self._from(site, fn, names, depth, coroutine=coroutine)
        if callers:
            return
        self.uncalled.append(fn)
        loose = loose_uses(self.graph, fn)
        for site in self._shipped(loose.calls, fn):
            yield self.at(site, names, depth)
        if loose.kept:
            yield _Unsure(f"`{fn.qualname}` is kept as a value, who calls it is not known")

    def _shipped(self, sites: Sequence[Site], fn: Fn) -> list[Site]:
        """The sites that are not in tests, for a function that is not in them either."""
        if code_kind(fn.file.path) == "test":
            return list(sites)
        return [s for s in sites if code_kind(s.fn.file.path) != "test"]

    def _from(self, site: Site, fn: Fn, names: Names, depth: int, *, coroutine: bool) -> _Answer:
        if not is_deferred(site, fn, coroutine=coroutine):
            return self.at(site, names, depth)
        if is_returned(site):
            return self.above(site.fn, names, depth, coroutine=True)
        outs = waits(self.graph, site)
        if not outs:
            return _Unsure("it is kept in a task that is awaited elsewhere")
        kept = next((w for w in outs if _is_looked_at(w)), None)
        if kept is not None:
            return _Caught(kept.at.stmt, kept.fn)
        return worst([self.at(wait, names, depth) for wait in outs])


def _is_looked_at(wait: Site) -> bool:
    """Whether the exception of a task is read as a result there, and not raised again."""
    inner = wait.expr.value if isinstance(wait.expr, E.Await) else wait.expr
    asked = isinstance(inner, E.Call) and last_name(inner.func) == "exception"
    return asked or keeps_exceptions(inner)


def worst(answers: list[_Answer]) -> _Answer:
    """Open if one of them is, else unsure if one is, else caught; open when there are none."""
    if None in answers:
        return None
    doubt = next((a for a in answers if isinstance(a, _Unsure)), None)
    return doubt or next(iter(answers), None)
