"""Which bindings of a name can reach a use of it: a bounded, block-wise kill analysis."""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.graph.handles import Ctx, Located
from agentcheck.graph.scope import Binding
from agentcheck.graph.walk import blocks
from agentcheck.model import stmt as S
from agentcheck.model.location import Where, end_of, start_of


def reaching(bindings: Sequence[Binding], use: Where) -> list[Binding]:
    """The bindings that may hold at a use in the same function, in source order.

    A binding is killed by a later one that stands in a block around the use, cannot leave a
    branch that ends in return or raise, and runs backwards only inside a loop around both.
    Definitions, imports and parameters count as bound at the start.
    """
    if len(bindings) < 2:
        return list(bindings)
    alive: list[Binding] = []
    for binding in sorted(bindings, key=_order):
        at = binding.at
        if at is None or binding.how in ("define", "import", "param"):
            alive.append(binding)
        elif _before(at, use):
            if _contains_use(at, use):
                alive = [binding]
            elif not _left_for_good(at, use):
                alive.append(binding)
        elif _common_loop(at, use):
            alive.append(binding)
    return alive or list(bindings)


def _order(binding: Binding) -> int:
    return start_of(binding.at.stmt.where) if binding.at else 0


def _before(at: Located, use: Where) -> bool:
    """Whether the statement is done before the use; the head of a compound one, before its body."""
    if not blocks(at.stmt):
        return end_of(at.stmt.where) <= start_of(use)
    body = next((block for _, _, block in blocks(at.stmt) if block), ())
    return bool(body) and start_of(body[0].where) <= start_of(use)


def _block(ctx: Ctx) -> tuple[S.Stmt, ...]:
    return next((b for part, i, b in blocks(ctx.stmt) if part == ctx.part and i == ctx.index), ())


def _spans(block: tuple[S.Stmt, ...], use: Where) -> bool:
    return (
        bool(block)
        and start_of(block[0].where) <= start_of(use)
        and end_of(use) <= end_of(block[-1].where)
    )


def _contains_use(at: Located, use: Where) -> bool:
    """Whether every block around the binding is around the use too; for a head, its body is."""
    around = all(_spans(_block(ctx), use) for ctx in at.around())
    if not around or not blocks(at.stmt):
        return around
    return isinstance(at.stmt, S.With) or _spans(blocks(at.stmt)[0][2], use)


def _left_for_good(at: Located, use: Where) -> bool:
    """Whether the branch of the binding ends the function before it could get to the use."""
    for ctx in at.around():
        block = _block(ctx)
        if not _spans(block, use) and block and isinstance(block[-1], (S.Return, S.Raise)):
            return True
    return False


def _common_loop(at: Located, use: Where) -> bool:
    return any(
        isinstance(ctx.stmt, (S.While, S.For))
        and start_of(ctx.stmt.where) <= start_of(use)
        and end_of(use) <= end_of(ctx.stmt.where)
        for ctx in at.around()
    )
