"""Dispatchers that keep the agent of the last handoff in a batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Located,
    Place,
    S,
    descend,
    dotted,
    last_name,
    own_exprs,
    statements_below,
    tool_call_loops,
)

WORDS = ("agent", "handoff", "hand_off", "next_speaker", "transfer", "assistant")


@dataclass(frozen=True, slots=True)
class Overwrite:
    """An assignment of the next agent inside a loop over tool calls.

    `tests` are the conditions it stands under in the loop; `guard` is what lets only one through.
    """

    fn: Fn
    loop: S.For
    place: Place
    tests: tuple[Place, ...]
    guard: Place | None


def overwrites(graph: AgentGraph) -> Iterator[Overwrite]:
    """Every such assignment, guarded or not."""
    for fn in graph.program.every_function():
        loops = list(tool_call_loops(graph, fn))
        if not loops:
            continue
        for at in graph.program.statements(fn):
            loop = next((c.stmt for c in at.around() if c.stmt in loops), None)
            if isinstance(loop, S.For) and _sets_agent(at, loop):
                tests = [c.stmt for c in at.around() if isinstance(c.stmt, S.If)]
                inner = [t for t in tests if t in list(statements_below(loop))]
                places = tuple(fn.place(t.test.span) for t in inner)
                yield Overwrite(fn, loop, at.place, places, _guard(fn, at, loop, inner))


def _sets_agent(at: Located, loop: S.For) -> bool:
    """Whether a statement keeps an agent in something that outlives the turn of the loop."""
    if not isinstance(at.stmt, S.Assign) or at.stmt.value is None:
        return False
    if isinstance(at.stmt.value, E.Const):
        return False
    local = _bound_in(loop)
    for target in at.stmt.targets:
        name = (last_name(target) or "").lower()
        if any(w in name for w in WORDS) and "name" not in name and not name.endswith("s"):
            if isinstance(target, E.Attr) or (
                isinstance(target, E.Name) and target.id not in local
            ):
                return True
            if isinstance(target, E.Name) and _read_after(at, target.id, loop):
                return True
    return False


def _bound_in(loop: S.For) -> set[str]:
    names = {e.id for e in descend(loop.target) if isinstance(e, E.Name)}
    for stmt in statements_below(loop):
        if isinstance(stmt, S.Assign):
            names |= {t.id for t in stmt.targets if isinstance(t, E.Name)}
    return names


def _read_after(at: Located, name: str, loop: S.For) -> bool:
    """Whether the function reads the name after the loop, or returns it."""
    from agentcheck.rule import statements_below as below

    inside = {id(s) for s in below(loop)} | {id(loop)}
    later = False
    for stmt in _all(at.fn.facts.body):
        if id(stmt) in inside:
            later = True
        elif later and any(
            isinstance(e, E.Name) and e.id == name for own in own_exprs(stmt) for e in descend(own)
        ):
            return True
    return False


def _all(body: tuple[S.Stmt, ...]) -> Iterator[S.Stmt]:
    for stmt in body:
        yield stmt
        yield from sorted(statements_below(stmt), key=lambda s: s.span)


def _guard(fn: Fn, at: Located, loop: S.For, tests: list[S.If]) -> Place | None:
    """What lets one handoff through: leaving the loop, or a test of the variable it sets."""
    assert isinstance(at.stmt, S.Assign)
    names = {dotted(t) for t in at.stmt.targets}
    for test in tests:
        if any(dotted(e) in names and dotted(e) is not None for e in descend(test.test)):
            return fn.place(test.test.span)
        if _flagged(test, loop):
            return fn.place(test.test.span)
    block = next(iter(tests), None)
    body = block.body if block is not None and at.stmt in block.body else loop.body
    after = body[list(body).index(at.stmt) + 1 :] if at.stmt in body else ()
    for stmt in after:
        if isinstance(stmt, (S.Return, S.Raise)) or (
            isinstance(stmt, S.Jump) and stmt.kind == "break"
        ):
            return fn.place(stmt.span)
    return _earlier_exit(fn, at, loop, names)


def _flagged(test: S.If, loop: S.For) -> bool:
    """`if result.agent and not taken:` with `taken` set in the loop."""
    negated = {
        e.operand.id
        for e in descend(test.test)
        if isinstance(e, E.Unary) and e.op == "not" and isinstance(e.operand, E.Name)
    }
    set_in_loop = {
        t.id
        for s in statements_below(loop)
        if isinstance(s, S.Assign)
        for t in s.targets
        if isinstance(t, E.Name)
    }
    return bool(negated & set_in_loop)


def _earlier_exit(fn: Fn, at: Located, loop: S.For, names: set[str | None]) -> Place | None:
    """`if chosen is not None: ...; continue` before the assignment."""
    for stmt in statements_below(loop):
        if isinstance(stmt, S.If) and stmt.span < at.stmt.span:
            tested = any(dotted(e) in names - {None} for e in descend(stmt.test))
            leaves = any(isinstance(s, (S.Jump, S.Return, S.Raise)) for s in statements_below(stmt))
            if tested and leaves:
                return fn.place(stmt.test.span)
    return None
