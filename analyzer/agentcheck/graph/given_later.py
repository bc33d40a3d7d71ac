"""What agents are given after they are built: tools and handoffs, wherever that is done."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from agentcheck.graph.containers import Element, elements
from agentcheck.graph.handles import Site
from agentcheck.graph.origins import Tracer
from agentcheck.model import expr as E
from agentcheck.model import stmt as S


class Changes:
    """Finds `agent.tools = [...]`, `agent.tools.append(f)` and `agent.tools += [...]`."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self._memo: dict[frozenset[str], dict[int, list[tuple[Site, list[Element]]]]] = {}

    def of(self, keywords: set[str]) -> dict[int, list[tuple[Site, list[Element]]]]:
        """What is given to agents later, by the identity of the call that built each."""
        key = frozenset(keywords)
        if key not in self._memo:
            found: dict[int, list[tuple[Site, list[Element]]]] = {}
            for site, base, values in self._find_changes(keywords):
                origins = self.tracer.of(base, site.fn, up=3)
                for built in {id(o.expr) for o in origins if o.expr is not None and not o.steps}:
                    found.setdefault(built, []).append((site, values))
            self._memo[key] = found
        return self._memo[key]

    def _find_changes(self, keywords: set[str]) -> Iterator[tuple[Site, E.Expr, list[Element]]]:
        for site, target in self._changed:
            if target.attr in keywords:
                values = list(self._change(site, target))
                if values:
                    yield site, target.value, values

    @cached_property
    def _changed(self) -> list[tuple[Site, E.Attr]]:
        """The attributes that statements set, or call a method of, in source order."""
        program = self.tracer.program
        sites = (s for fn in program.every_function() for s in program.shaped(fn, E.Attr))
        return [
            (site, site.expr)
            for site in sites
            if type(site.expr) is E.Attr and _is_changed(site.at.stmt, site.expr)
        ]

    def _change(self, site: Site, target: E.Attr) -> Iterator[Element]:
        match site.at.stmt:
            case S.Assign(targets=targets, value=value) if value is not None:
                if any(t is target for t in targets):
                    yield from elements(self.tracer, value, site.fn)
            case S.AugAssign(target=aug, value=value) if aug is target:
                yield from elements(self.tracer, value, site.fn)
            case S.Do(value=E.Call(func=E.Attr(value=base, attr=attr), args=args)) if (
                base is target
            ):
                if attr == "append" and args:
                    yield Element(args[0].value, site.fn)
                elif attr == "extend" and args:
                    yield from elements(self.tracer, args[0].value, site.fn)
            case _:
                return


def _is_changed(stmt: S.Stmt, attr: E.Attr) -> bool:
    if type(stmt) is S.Assign:
        return any(target is attr for target in stmt.targets)
    if type(stmt) is S.AugAssign:
        return stmt.target is attr
    if type(stmt) is not S.Do or type(stmt.value) is not E.Call:
        return False
    func = stmt.value.func
    return type(func) is E.Attr and func.value is attr
