"""What the statements of a function give: its results, and what it appends to its lists."""

from __future__ import annotations

from agentcheck.graph.handles import Fn
from agentcheck.graph.program import Program
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S


def results(program: Program, fn: Fn) -> list[E.Expr]:
    """The expressions a function returns or, for a generator, yields."""
    found = list[E.Expr]()
    for at in program.statements(fn):
        if isinstance(at.stmt, S.Return) and at.stmt.value is not None:
            found.append(at.stmt.value)
        elif fn.facts.is_generator and isinstance(at.stmt, (S.Do, S.Assign)) and at.stmt.value:
            yields = (e for e in descend(at.stmt.value) if isinstance(e, E.Yield))
            found.extend(e.value for e in yields if e.value)
    return found


def appended(program: Program, expr: E.Expr, fn: Fn) -> list[E.Expr]:
    """What the function appends to a list that it names."""
    if not isinstance(expr, E.Name):
        return []
    if fn not in program.appends:
        program.appends[fn] = _appends(program, fn)
    return program.appends[fn].get(expr.id, [])[:24]


def _appends(program: Program, fn: Fn) -> dict[str, list[E.Expr]]:
    found: dict[str, list[E.Expr]] = {}
    for at in program.statements(fn):
        match at.stmt:
            case S.Do(value=E.Call(func=E.Attr(attr="append", value=E.Name() as base), args=args)):
                found.setdefault(base.id, []).extend(a.value for a in args[:1])
            case _:
                continue
    return found
