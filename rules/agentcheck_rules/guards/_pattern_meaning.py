"""Whether a hit of a guard's pattern means yes or no."""

from __future__ import annotations

from typing import Literal

from agentcheck.rule import E, S, Site, lazy_re
from agentcheck_rules.guards._verdicts import Answer, guard_answer, lets_through, refuses, snake

Means = Literal["deny", "allow"]
_DENY = lazy_re(
    r"blocked|block_?list|(^|_)block_(pat|re|word|reg)|den(y|ied)|danger|forbid|inject|malicious|unsafe|suspicious|banned|harmful|"
    r"jailbreak|blacklist|threat|attack|prohibit|disallow|destructive|toxic|profan|sensitive_word"
)
_ALLOW = lazy_re(r"allow|whitelist|(^|_)safe|permitted|trusted|approved")


def means_of(site: Site, name: str) -> Means | None:
    """What a hit means: by the pattern's name, else by what the guard answers after one."""
    word = snake(name)
    if _DENY.search(word):
        return "deny"
    answer = guard_answer(site.fn)
    said = _branch(site, answer) if answer is not None else None
    if said is None and answer is not None and isinstance(site.at.stmt, S.Return):
        said = _returned(site, site.at.stmt, answer)
    if said is not None:
        return "allow" if said else "deny"
    return "allow" if _ALLOW.search(word) and answer is not None else None


def _branch(site: Site, answer: Answer) -> bool | None:
    """Whether the branch that a hit opens says yes."""
    stmt = site.at.stmt
    if not isinstance(stmt, S.If) or not stmt.body:
        return None
    turned = isinstance(stmt.test, E.Unary) and stmt.test.op == "not"
    if isinstance(stmt.test, E.Logic):
        return None
    last = stmt.body[-1]
    if not isinstance(last, S.Return):
        return False if isinstance(last, S.Raise) and not turned else None
    if lets_through(last.value, answer):
        return not turned
    return turned if refuses(last.value, answer) else None


def _returned(site: Site, stmt: S.Return, answer: Answer) -> bool | None:
    """`return bool(re.match(...))` and `return not re.search(...)`."""
    value = stmt.value
    turned = False
    while value is not None and value is not site.expr:
        match value:
            case E.Unary(op="not", operand=inner):
                value, turned = inner, not turned
            case E.Call(func=E.Name(id="bool" | "any"), args=(first,)):
                value = first.value
            case E.Comp(element=inner):
                value = inner
            case E.Compare(left=inner, ops=("is" | "is not" as op,), rights=(E.Const(value=None),)):
                value, turned = inner, turned != (op == "is")
            case _:
                return None
    return answer is not turned
