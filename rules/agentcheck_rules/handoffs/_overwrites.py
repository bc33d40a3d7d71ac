"""Places where the agent of the last handoff in a reply replaces those before it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Located,
    Place,
    S,
    descend,
    last_name,
    lazy_re,
    own_exprs,
    statements_below,
    string,
)
from agentcheck_rules.handoffs._batch import (
    counts_batch,
    is_call_loop,
    last_of_batch,
    one_call_a_reply,
)
from agentcheck_rules.handoffs._one_wins import leaves, made_of, names_in, one_wins, reads

NOUNS = frozenset({"agent", "assistant", "speaker", "handoff"})
_WORD = lazy_re(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


class Overwrite(Struct, frozen=True):
    """A place where a reply's last handoff wins; `batch` is where its calls are gone over.

    `tests` are the conditions it stands under in the loop; `guard` is what lets only one through.
    """

    fn: Fn
    batch: Place
    place: Place
    tests: tuple[Place, ...]
    guard: Place | None


def overwrites(graph: AgentGraph) -> Iterator[Overwrite]:
    """Every such place, guarded or not."""
    for fn in graph.program.every_function():
        for at in graph.program.statements(fn):
            stmt = at.stmt
            if type(stmt) is S.Assign and any(_is_agent(t) for t in stmt.targets):
                found = _assignment(graph, at, stmt)
                if found is not None:
                    yield found
        yield from _last_taken(graph, fn)


def _is_agent(target: E.Expr) -> bool:
    """Whether a target's name, or its key, ends in the word for an agent."""
    name = string(target.index) if type(target) is E.Index else last_name(target)
    words = _WORD.findall(name or "")
    return bool(words) and words[-1].lower() in NOUNS


def _assignment(graph: AgentGraph, at: Located, stmt: S.Assign) -> Overwrite | None:
    loops = [c.stmt for c in at.around() if isinstance(c.stmt, S.For) and c.part == "body"]
    loop = next((x for x in loops if is_call_loop(graph, x, at.fn)), None)
    if loop is None or not _keeps_new_agent(at, stmt, loop):
        return None
    tests = _tests(at, loop)
    guard = (
        one_wins(at, stmt, loop, tests)
        or one_call_a_reply(graph, loop.iter, at.fn)
        or _counted(graph, at, loop)
    )
    place = at.fn.place
    shown = tuple(place(test.test.span) for test in tests)
    return Overwrite(at.fn, place(loop.span), at.place, shown, guard)


def _tests(at: Located, loop: S.For) -> list[S.If]:
    """The conditions between a statement and the loop, innermost first."""
    found = list[S.If]()
    for ctx in at.around():
        if ctx.stmt is loop:
            break
        if isinstance(ctx.stmt, S.If):
            found.append(ctx.stmt)
    return found


def _keeps_new_agent(at: Located, stmt: S.Assign, loop: S.For) -> bool:
    """Whether the value is made of a call and kept in something that outlives the loop's turn."""
    made = made_of(loop)
    value = stmt.value
    if value is None or isinstance(value, E.Const) or not names_in(value) & made:
        return False
    return any(
        _is_agent(target) and _outlives(at, target, loop, made) and not _extends(value, target)
        for target in stmt.targets
    )


def _extends(value: E.Expr, target: E.Expr) -> bool:
    """`agent = agent + x`, `agent = agent.clone(x)`: the older value is part of the new one."""
    older = isinstance(value, (E.Logic, E.Choice))
    return not older and reads(value, target)


def _outlives(at: Located, target: E.Expr, loop: S.For, made: frozenset[str]) -> bool:
    if isinstance(target, E.Name):
        return _read_elsewhere(at, target.id, loop)
    root: E.Expr = target
    while isinstance(root, (E.Attr, E.Index)):
        root = root.value
    return isinstance(root, E.Name) and root.id not in made | _bound_in(loop)


def _bound_in(loop: S.For) -> set[str]:
    names = names_in(loop.target)
    for stmt in statements_below(loop):
        if isinstance(stmt, S.Assign):
            names |= {t.id for t in stmt.targets if isinstance(t, E.Name)}
    return names


def _read_elsewhere(at: Located, name: str, loop: S.For) -> bool:
    """Whether a name is read after the loop, in a loop around it, or belongs to a wider scope."""
    inside = {id(s) for s in statements_below(loop)} | {id(loop)}
    around = [c.stmt for c in at.around() if isinstance(c.stmt, (S.For, S.While))]
    again = {id(s) for outer in around if outer is not loop for s in statements_below(outer)}
    for stmt in (s for top in at.fn.facts.body for s in (top, *statements_below(top))):
        if isinstance(stmt, S.Scope) and name in stmt.names:
            return True
        later = stmt.span > loop.span or id(stmt) in again
        if later and id(stmt) not in inside and name in _reads_of(stmt):
            return True
    return False


def _reads_of(stmt: S.Stmt) -> set[str]:
    targets = {id(t) for t in stmt.targets} if isinstance(stmt, S.Assign) else set()
    return {n for own in own_exprs(stmt) if id(own) not in targets for n in names_in(own)}


def _counted(graph: AgentGraph, at: Located, loop: S.For) -> Place | None:
    """A test of how many calls there are, around the loop or before it with a way out."""
    around = {id(c.stmt) for c in at.around()}
    for stmt in (s for top in at.fn.facts.body for s in (top, *statements_below(top))):
        if isinstance(stmt, S.If) and stmt.span < loop.span:
            holds = id(stmt) in around or leaves(stmt.body) or leaves(stmt.orelse)
            if holds and counts_batch(graph, stmt.test, at.fn):
                return at.fn.place(stmt.test.span)
    return None


def _last_taken(graph: AgentGraph, fn: Fn) -> Iterator[Overwrite]:
    """`handoffs[-1]` of a list that holds what each call of a reply gave."""
    for taken, made in last_of_batch(graph, fn):
        named = [*descend(taken.value), *descend(made)]
        if any(_is_agent_like(e) for e in named):
            counted = [
                s.expr
                for s in graph.program.sites(fn)
                if isinstance(s.expr, E.Compare) and counts_batch(graph, s.expr, fn)
            ]
            guard = fn.place(counted[0].span) if counted else None
            yield Overwrite(fn, fn.place(made.span), fn.place(taken.span), (), guard)


def _is_agent_like(expr: E.Expr) -> bool:
    words = _WORD.findall(last_name(expr) or "") if isinstance(expr, (E.Name, E.Attr)) else []
    return bool(words) and words[-1].lower().removesuffix("s") in NOUNS
