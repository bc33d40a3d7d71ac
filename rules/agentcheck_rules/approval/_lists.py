"""Guards that are asked about a tool's name and look at a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import E, Fn, Place, S, dotted, last_name, string
from agentcheck_rules.guards._verdicts import Answer, guard_answer, lets_through, refuses

How = Literal["lookup", "ask", "table", "final"]
TOOLS = frozenset(
    "tool tool_name toolname name action action_name function_name func_name fn_name command_name "
    "operation capability".split()
)


class Default(Struct, frozen=True):
    """An answer for a tool that a policy does not know. `open` where it is yes."""

    fn: Fn
    how: How
    place: Place
    open: bool
    other: Place | None = None


def listed(fn: Fn) -> Iterator[Default]:
    """A guard that is asked about a tool's name, refuses those on a list and allows the rest."""
    answer = guard_answer(fn)
    names = {p.name for p in fn.facts.params} & (TOOLS - {"command_name"})
    if "tool" not in fn.name.lower():
        names -= {"name"}
    if answer is None or not names or not fn.facts.body:
        return
    last = fn.facts.body[-1]
    if not isinstance(last, S.Return) or last.value is None:
        return
    plain = _list_test(last.value, names)
    if plain is not None:
        allows = plain is (answer is True)
        yield Default(fn, "final", fn.place(last.span), open=not allows)
        return
    tests = [s for s in fn.facts.body[:-1] if not _is_doc(s)]
    refused = [_refusal(s, names, answer) for s in tests]
    if refused and all(r is not None for r in refused) and lets_through(last.value, answer):
        first = fn.place(tests[0].span)
        yield Default(fn, "final", fn.place(last.span), open=True, other=first)


def _is_doc(stmt: S.Stmt) -> bool:
    return isinstance(stmt, S.Do) and (string(stmt.value) is not None or _is_log(stmt.value))


def _is_log(value: E.Expr) -> bool:
    written = dotted(value) or ""
    return isinstance(value, E.Call) and written.startswith(("log", "print", "self.log"))


def _list_test(test: E.Expr, names: set[str]) -> bool | None:
    """True for `tool in LIST`, False for `tool not in LIST`, None for another test."""
    match test:
        case E.Compare(left=E.Name(id=name), ops=("in" | "not in" as op,)) if name in names:
            return op == "in"
        case E.Compare(left=E.Name(id=name), ops=("==",), rights=(E.Const(),)) if name in names:
            return True
        case E.Call(func=E.Attr(attr="startswith" | "endswith", value=E.Name(id=name))):
            return True if name in names else None
        case E.Logic(op="or", values=values) if all(_list_test(v, names) for v in values):
            return True
        case _:
            return None


def _refusal(stmt: S.Stmt, names: set[str], answer: Answer) -> S.Stmt | None:
    """`if tool in DENIED: return False`."""
    if not isinstance(stmt, S.If) or stmt.orelse or _list_test(stmt.test, names) is not True:
        return None
    last = stmt.body[-1]
    if isinstance(last, S.Raise):
        return stmt
    if not isinstance(last, S.Return):
        return None
    said = last.value
    denies = isinstance(said, E.Call) and "den" in (last_name(said.func) or "").lower()
    return stmt if denies or refuses(said, answer) else None
