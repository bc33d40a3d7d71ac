"""Questions put to a person before an effect, and what no answer at all means there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    argument,
    descend,
    last_name,
    lazy_re,
    spoken,
    string,
)
from agentcheck_rules.approval._unsaid import Unsaid
from agentcheck_rules.approval._verdict_tests import NO_TEXTS, YES_TEXTS

_INPUTS = frozenset(
    "input builtins.input aioconsole.ainput rich.prompt.Prompt.ask click.prompt typer.prompt "
    "getpass.getpass".split()
)
_CONFIRMS = frozenset("click.confirm typer.confirm rich.prompt.Confirm.ask".split())
_BY_YES = frozenset({"questionary.confirm", "inquirer.confirm"})
_YES_OR_NO = _CONFIRMS | _BY_YES
# What a person says yes to: an effect.
_ACTS = lazy_re(
    r"\b(run|running|execut\w*|allow|approv\w*|delet\w*|remov\w*|send|pay|transfer|refund|tool|"
    r"command|apply|overwrite|install|write|deploy|publish|post|commit|push|purchase|order)\b",
    re.IGNORECASE,
)
_OTHER = lazy_re(
    r"\b(another|again|exit|quit|leave|retry|name|model|topic|key|which|what|where|how)\b",
    re.IGNORECASE,
)


class _Test(Struct, frozen=True):
    """A test of an answer. `by_no` where it looks for a no and takes all else for a yes."""

    answer: E.Expr
    by_no: bool
    empty_is_yes: bool


def by_enter(graph: AgentGraph, fn: Fn) -> Iterator[Unsaid]:
    """The questions of a function to which an empty line, or anything but no, is a yes."""
    for site, call in graph.program.calls(fn):
        names = graph.resolver.dotted(call.func, fn)
        if not _YES_OR_NO.isdisjoint(names) and _asks_to_act(graph, call, fn):
            given = argument(call, "default", 1)
            yes = isinstance(given, E.Const) and given.value is True
            unset = given is None and bool(names & _BY_YES)
            yield Unsaid(fn, "enter", site.place, open=yes or unset)
    yield from _compared(graph, fn)


def _compared(graph: AgentGraph, fn: Fn) -> Iterator[Unsaid]:
    """What the tests of a person's answer make of an empty one.

    A test for no leaves everything else a yes, unless the function looks for a yes as well.
    """
    tests = [
        (s, t)
        for s in graph.program.shaped(fn, E.Compare, E.Call)
        if (t := _tested(s.expr)) is not None
    ]
    asked = [(s, t, q) for s, t in tests if (q := _question(graph, fn, t)) is not None]
    wants_yes = any(not t.by_no for _, t, _ in asked)
    for site, test, question in asked:
        if not (test.by_no and wants_yes):
            yield Unsaid(fn, "enter", site.place, open=test.empty_is_yes, other=question)


def _asks_to_act(graph: AgentGraph, call: E.Call, fn: Fn) -> bool:
    """Whether the question names an effect."""
    text = " ".join(spoken(a.value) for a in call.args)
    for arg in call.args:
        if isinstance(arg.value, E.Name):
            text += " ".join(spoken(o.expr) for o in graph.tracer.local(arg.value, fn))
    return bool(_ACTS.search(text)) and not _OTHER.search(text)


def _question(graph: AgentGraph, fn: Fn, test: _Test) -> Place | None:
    """Where a person is asked for the answer that a test looks at, if an effect hangs on it."""
    for origin in graph.tracer.local(test.answer, fn):
        call = origin.expr
        if not isinstance(call, E.Call) or origin.steps not in ((), ("[]",)):
            continue
        by_person = bool(graph.resolver.dotted(call.func, origin.fn) & _INPUTS)
        if by_person and _asks_to_act(graph, call, origin.fn) and not _has_default(call):
            return origin.fn.place(call.span)
    return None


def _has_default(call: E.Call) -> bool:
    return any(a.name == "default" for a in call.args)


def _tested(expr: E.Expr) -> _Test | None:
    """The test of an answer against words for yes or for no."""
    if type(expr) is E.Call and last_name(expr.func) != "startswith":
        return None  # most are such calls, and a pattern takes its time to tell
    match expr:
        case E.Compare(left=left, ops=("in" | "not in",), rights=(E.Items(items=items),)):
            return _by_texts(left, _texts(items))
        case E.Compare(left=left, ops=("==" | "!=",), rights=(right,)):
            return _by_texts(left, _texts((right,)))
        case E.Call(func=E.Attr(attr="startswith", value=value), args=(first, *_)):
            return _by_texts(value, _texts((first.value,)))
        case _:
            return None


def _by_texts(answer: E.Expr, texts: set[str]) -> _Test | None:
    said = texts - {""}
    if said and said <= NO_TEXTS:
        return _Test(answer, by_no=True, empty_is_yes="" not in texts)
    if said and said <= YES_TEXTS:
        return _Test(answer, by_no=False, empty_is_yes="" in texts or _or_yes(answer))
    return None


def _texts(items: tuple[E.Expr, ...]) -> set[str]:
    found = [string(i) for i in items]
    return {t.strip().lower() for t in found if t is not None} if None not in found else set()


def _or_yes(left: E.Expr) -> bool:
    """`(input(...) or "y") == "y"`."""
    return any(
        isinstance(e, E.Logic)
        and e.op == "or"
        and (string(e.values[-1]) or "").lower() in YES_TEXTS
        for e in descend(left)
    )
