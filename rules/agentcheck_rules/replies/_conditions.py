"""Which tests stand between the start of a function and a place in it."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, S, Site, descend, own_exprs


def conditions(graph: AgentGraph, site: Site) -> Iterator[E.Expr]:
    """The tests around a site, beside it in its statement, and before it in a block around it."""
    blocks = set()
    for ctx in site.around():
        blocks.add((id(ctx.stmt), ctx.part, ctx.index))
        match ctx.stmt:
            case S.If(test=test) | S.While(test=test):
                yield test
            case S.Match(subject=subject):
                yield subject
            case _:
                continue
    for at in graph.program.statements(site.fn):
        if at.stmt.span.line >= site.expr.span.line:
            break
        if at.up is None or (id(at.up.stmt), at.up.part, at.up.index) in blocks:
            yield from _tested(at.stmt)
    if not site.always:
        yield from _choices(site)


def _tested(stmt: S.Stmt) -> Iterator[E.Expr]:
    match stmt:
        case S.If(test=test) | S.Assert(test=test):
            yield test
        case _:
            return


def _choices(site: Site) -> Iterator[E.Expr]:
    """The tests inside the site's own statement, the site itself left out."""
    own = {id(e) for e in descend(site.expr)}
    for expr in (e for top in own_exprs(site.at.stmt) for e in descend(top)):
        match expr:
            case E.Choice(test=test):
                yield test
            case E.Logic(values=values):
                yield from (v for v in values if id(site.expr) not in {id(e) for e in descend(v)})
            case E.Comp(loops=loops) if id(expr) not in own:
                yield from (c for loop in loops for c in loop.conditions)
            case _:
                continue


def looked_at(expr: E.Expr) -> Iterator[E.Expr]:
    """The parts of a test, without what it reads through `xs[0]`, which needs the element there."""
    hidden = {
        id(inner)
        for index in descend(expr)
        if isinstance(index, E.Index) and is_number(index.index)
        for inner in descend(index)
    }
    yield from (e for e in descend(expr) if id(e) not in hidden)


def is_number(expr: E.Expr) -> bool:
    """Whether an expression is a literal whole number."""
    if isinstance(expr, E.Unary):
        expr = expr.operand
    return isinstance(expr, E.Const) and type(expr.value) is int
