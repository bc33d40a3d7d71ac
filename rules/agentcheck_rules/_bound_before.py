"""Which names a place may use: those that surely have a value when it is reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentcheck.rule import AgentGraph, E, Fn, S, Site, blocks, descend


class BoundBefore:
    """The names of a function that are bound on every way to a site."""

    def __init__(self, graph: AgentGraph, site: Site) -> None:
        self._local = set(graph.program.scope(site.fn))
        self._bound = {p.name for p in site.fn.facts.params} | set(_before(site))

    def knows(self, expr: E.Expr) -> bool:
        """Whether an expression needs no other local name."""
        names = {e.id for e in descend(expr) if isinstance(e, E.Name)}
        return not (names & self._local) - self._bound


def free_name(graph: AgentGraph, fn: Fn, *names: str) -> str | None:
    """The first of some names that a function does not use, unless for exceptions it catches."""
    scope = graph.program.scope(fn)
    read = {s.expr.id for s in graph.program.sites(fn) if isinstance(s.expr, E.Name)}
    for name in names:
        bindings = scope.get(name, [])
        if all(b.how == "caught" for b in bindings) and (bindings or name not in read):
            return name
    return None


def _before(site: Site) -> Iterator[str]:
    """From the innermost block outwards: what the statements in front of the site bind."""
    here = site.at.stmt
    for ctx in site.at.around():
        for _, _, block in blocks(ctx.stmt):
            if any(stmt is here for stmt in block):
                yield from _bound_by(_until(block, here), site.fn)
        match ctx.stmt:
            case S.For(target=target) if ctx.part == "body":
                yield from _names(target)
            case S.With(items=items):
                yield from (n for i in items if i.target is not None for n in _names(i.target))
            case _:
                pass
        here = ctx.stmt
    yield from _bound_by(_until(site.fn.facts.body, here), site.fn)


def _until(block: tuple[S.Stmt, ...], end: S.Stmt) -> Iterator[S.Stmt]:
    for stmt in block:
        if stmt is end:
            return
        yield stmt


def _bound_by(statements: Iterable[S.Stmt], fn: Fn) -> Iterator[str]:
    for stmt in statements:
        match stmt:
            case S.Assign(targets=targets, value=value) if value is not None:
                yield from (name for target in targets for name in _names(target))
            case S.With(items=items, body=body):
                yield from (n for i in items if i.target is not None for n in _names(i.target))
                yield from _bound_by(body, fn)
            case S.Define(name=name):
                yield name
            case S.Bring(indices=indices):
                for imported in (fn.file.imports[i] for i in indices):
                    whole = imported.module.partition(".")[0]
                    yield imported.alias or imported.name or whole
            case _:
                continue


def _names(target: E.Expr) -> Iterator[str]:
    """The names that an assignment binds; `x.y = ...` and `x[0] = ...` bind none."""
    match target:
        case E.Name(id=name):
            yield name
        case E.Items(items=items):
            yield from (name for item in items for name in _names(item))
        case E.Star(value=value):
            yield from _names(value)
        case _:
            return
