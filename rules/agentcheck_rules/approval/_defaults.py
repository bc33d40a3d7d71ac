"""What policies about tools answer for a tool that they say nothing of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    S,
    dotted,
    last_name,
    lazy_re,
    part,
    string,
)
from agentcheck_rules.approval._lists import TOOLS, Default, How, listed

_POLICY = lazy_re(
    r"polic|permission|(^|_)access(_|$)|(^|_)acl|authori[sz]|allow|decisions?$|approval|"
    r"(tool|guard|safety)_(rules|modes?|risks?|levels?)|grants?$"
)
# Such a table says who has to be asked: there, False lets the call through.
_ASKS = lazy_re(
    r"(need|requir)\w*_?(approv|confirm|permission|consent|review)|"
    r"(approv|confirm|permission|consent|review)\w*_(need|requir)"
)
_HOLDERS = lazy_re(r"tool|call|action|function|block|request")
_YES = frozenset("allow allowed approve approved auto_approve yes permit".split())
# Of an approval: nobody is asked.
_UNASKED = frozenset({"auto", "never", "none"})
_YES_MEMBER = lazy_re(r"(^|\.)(allow(ed)?|approved?|auto_approve|permit(ted)?)$", re.IGNORECASE)


def defaults(graph: AgentGraph, fn: Fn) -> Iterator[Default]:
    """The answers that a function gives, or has a table give, for tools it does not know."""
    for site in graph.program.shaped(fn, E.Call):
        match site.expr:
            case E.Call() as call:
                found = _looked_up(graph, fn, call)
            case _:
                continue
        if found is None:
            continue
        how, said = found
        first = _asked_first(graph, fn, call)
        yield Default(fn, how, site.place, open=said and first is None, other=first)
    yield from _tables(graph, fn)
    yield from listed(fn)


def _looked_up(graph: AgentGraph, fn: Fn, call: E.Call) -> tuple[How, bool] | None:
    """`POLICY.get(tool, "allow")`, with whether the default lets the call through."""
    if last_name(call.func) not in ("get", "getattr"):
        return None
    plain = [a.value for a in call.args if a.name is None and not a.star]
    match call.func:
        case E.Attr(attr="get", value=table) if len(plain) == 2:
            key, default = plain
        case E.Name(id="getattr") if len(plain) == 3:
            table, key, default = plain
        case _:
            return None
    if isinstance(key, E.Const) or not _is_tool(graph, key, fn):
        return None
    word = (last_name(table) or "").lower()
    if _ASKS.search(word):
        unasked = isinstance(default, E.Const) and default.value in (False, *_UNASKED)
        return ("ask", unasked) if isinstance(default, E.Const) else None
    if _POLICY.search(word):
        return ("lookup", _is_yes(default, word)) if _is_verdict(default) else None
    return None


def _is_tool(graph: AgentGraph, key: E.Expr, fn: Fn) -> bool:
    """Whether a key is the name of a tool or of what one does."""
    match key:
        case E.Name(id=name):
            return name in TOOLS or part(graph, key, fn) == "name"
        case E.Attr(attr=attr, value=base):
            return attr in TOOLS and bool(_HOLDERS.search((dotted(base) or attr).lower()))
        case E.Index(value=base):
            return string(key.index) in TOOLS and bool(_HOLDERS.search(dotted(base) or ""))
        case _:
            return False


def _is_yes(default: E.Expr, word: str) -> bool:
    """Whether a default lets a call through; True under "approval" may mean that one is needed."""
    about_approval = "approval" in word
    if isinstance(default, E.Const):
        said = (string(default) or "").lower()
        plain = default.value is True and not about_approval
        return plain or said in _YES or (about_approval and said in _UNASKED)
    return bool(_YES_MEMBER.search(dotted(default) or ""))


def _is_verdict(default: E.Expr) -> bool:
    """Whether a default is an answer at all: a truth value, a word or a member of an enum."""
    if isinstance(default, E.Const):
        return isinstance(default.value, (bool, str))
    return isinstance(default, E.Attr)


def _asked_first(graph: AgentGraph, fn: Fn, call: E.Call) -> Place | None:
    """Where the function refuses a tool that the table does not hold, before it looks it up."""
    table = call.func.value if isinstance(call.func, E.Attr) else call.args[0].value
    for at in graph.program.statements(fn):
        match at.stmt:
            case S.If(test=E.Compare(ops=("in" | "not in",), rights=(right,))) if (
                last_name(right) == last_name(table) and at.stmt.span < call.span
            ):
                return at.place
            case _:
                continue
    return None


def _tables(graph: AgentGraph, fn: Fn) -> Iterator[Default]:
    """`PERMISSIONS = defaultdict(lambda: True)`."""
    for at in graph.program.statements(fn):
        stmt = at.stmt
        if not isinstance(stmt, S.Assign) or not isinstance(stmt.value, E.Call):
            continue
        words = [(last_name(t) or "").lower() for t in stmt.targets]
        if last_name(stmt.value.func) != "defaultdict" or not stmt.value.args:
            continue
        made = stmt.value.args[0].value
        is_policy = any(map(_is_tool_policy, words))
        if is_policy and isinstance(made, E.Lambda) and _is_verdict(made.body):
            yield Default(fn, "table", at.place, open=_is_yes(made.body, " ".join(words)))


def _is_tool_policy(word: str) -> bool:
    return bool(_POLICY.search(word)) and not _ASKS.search(word)
