"""What lets only one handoff of a reply through."""

from __future__ import annotations

from agentcheck.rule import E, Located, Place, S, blocks, descend, slot, statements_below


def one_wins(at: Located, stmt: S.Assign, loop: S.For, tests: list[S.If]) -> Place | None:
    """The value, a test or a way out of the loop that keeps a second handoff from winning."""
    value = stmt.value
    if value is None or any(_prefers_older(value, target) for target in stmt.targets):
        return at.place
    made = made_of(loop)
    for test in tests:
        known = any(_asks_for(test.test, target, made) for target in stmt.targets)
        if known or _flagged(test, loop):
            return at.fn.place(test.test.span)
    return _way_out(at, stmt, loop, tests) or _earlier_exit(at, stmt, loop, made)


def made_of(loop: S.For) -> frozenset[str]:
    """The names that hold a call of the loop, or something made of one, in a turn of it."""
    names = names_in(loop.target)
    inner = list(statements_below(loop))
    before = -1
    while before != len(names):
        before = len(names)
        for stmt in inner:
            for value, target in _bindings(stmt):
                if names_in(value) & names:
                    names |= {t.id for t in _plain(target)}
    return frozenset(names)


def _bindings(stmt: S.Stmt) -> list[tuple[E.Expr, E.Expr]]:
    match stmt:
        case S.Assign(value=value, targets=targets) if value is not None:
            return [(value, target) for target in targets]
        case S.For(iter=iterated, target=target):
            return [(iterated, target)]
        case S.With(items=items):
            return [(i.value, i.target) for i in items if i.target is not None]
        case _:
            return []


def _plain(target: E.Expr) -> list[E.Name]:
    """The names that a target binds; `a.b` and `a[b]` bind none."""
    match target:
        case E.Name():
            return [target]
        case E.Items(items=items):
            return [name for item in items for name in _plain(item)]
        case _:
            return []


def names_in(expr: E.Expr) -> set[str]:
    """The plain names in an expression."""
    found = {e.id for e in descend(expr) if isinstance(e, E.Name)}
    return found | {e.target for e in descend(expr) if isinstance(e, E.Walrus)}


def reads(expr: E.Expr, target: E.Expr) -> bool:
    """Whether an expression reads what a target names."""
    name = slot(target)
    return name is not None and any(slot(e) == name for e in descend(expr))


def _prefers_older(value: E.Expr, target: E.Expr) -> bool:
    """`x = x or new`, `x = x if x else new`, `x = new if x is None else x`."""
    match value:
        case E.Logic(op="or", values=(first, *_)):
            return reads(first, target)
        case E.Choice(test=test):
            return reads(test, target)
        case _:
            return False


def _asks_for(test: E.Expr, target: E.Expr, made: frozenset[str]) -> bool:
    """Whether a test asks if there is an agent already; to compare it with the new one is none."""
    compared = [
        e
        for e in descend(test)
        if isinstance(e, E.Compare) and names_in(e) & made - names_in(target)
    ]
    inside = {id(part) for e in compared for part in descend(e)}
    name = slot(target)
    return name is not None and any(slot(e) == name and id(e) not in inside for e in descend(test))


def _flagged(test: S.If, loop: S.For) -> bool:
    """`if result.agent and not taken:` with `taken` set in the loop."""
    negated = {
        slot(e.operand) for e in descend(test.test) if isinstance(e, E.Unary) and e.op == "not"
    }
    set_in_loop = {
        slot(target)
        for stmt in statements_below(loop)
        if isinstance(stmt, S.Assign) and isinstance(stmt.value, E.Const)
        for target in stmt.targets
    }
    return bool((negated & set_in_loop) - {None})


def leaves(body: tuple[S.Stmt, ...]) -> bool:
    """Whether a block ends by leaving the loop or the function, or going to the next turn."""
    last = body[-1] if body else None
    return isinstance(last, (S.Return, S.Raise)) or (
        isinstance(last, S.Jump) and last.kind in ("break", "continue")
    )


def _way_out(at: Located, stmt: S.Assign, loop: S.For, tests: list[S.If]) -> Place | None:
    """A `break`, `return` or `raise` after the assignment, bare or under a test for it."""
    for block in _blocks_around(at, loop):
        after = [s for s in block if s.span > stmt.span]
        for following in after:
            if _ends_loop(following):
                return at.fn.place(following.span)
            if isinstance(following, S.If) and _ends_for(following, stmt, tests):
                return at.fn.place(following.test.span)
    return None


def _blocks_around(at: Located, loop: S.For) -> list[tuple[S.Stmt, ...]]:
    """The blocks that hold a statement, from its own out to the loop's body."""
    found = list[tuple[S.Stmt, ...]]()
    for ctx in at.around():
        found += [
            block
            for part, index, block in blocks(ctx.stmt)
            if part == ctx.part and index == ctx.index
        ]
        if ctx.stmt is loop:
            break
    return found


def _ends_loop(stmt: S.Stmt) -> bool:
    return isinstance(stmt, (S.Return, S.Raise)) or (
        isinstance(stmt, S.Jump) and stmt.kind == "break"
    )


def _ends_for(test: S.If, stmt: S.Assign, tests: list[S.If]) -> bool:
    """Whether a later test, of the new agent or the assignment's own, ends the loop."""
    if not test.body or not _ends_loop(test.body[-1]):
        return False
    about = any(reads(test.test, target) for target in stmt.targets)
    same = {slot(t.test) for t in tests} - {None}
    return about or slot(test.test) in same


def _earlier_exit(at: Located, stmt: S.Assign, loop: S.For, made: frozenset[str]) -> Place | None:
    """`if chosen is not None: ...; continue` before the assignment."""
    for before in statements_below(loop):
        if not isinstance(before, S.If) or before.span > stmt.span or not leaves(before.body):
            continue
        if any(_asks_for(before.test, target, made) for target in stmt.targets):
            return at.fn.place(before.test.span)
    return None
