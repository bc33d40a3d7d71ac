"""What a guard's name asks, and which values mean that the action may go on."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from agentcheck.rule import E, Fn, dotted, last_name, lazy_re, string

# The bare answer that lets an action go on; None where no guard is asked.
Answer: TypeAlias = bool | None
# A function or a value of such a name answers True for "go on".
_ALLOWS = lazy_re(
    r"approv|permit|permission|authori[sz]|consent|guardrail|(^|_)guard($|_)|moderat|"
    r"(^|_)allow(s|ed)?($|_)|can_use_tool|(may|can)_(run|execute|proceed|call)|should_proceed|"
    r"(^|_)safe(ty)?($|_)|check_policy|policy_check|(within|passes)_policy|veto|critic|critique|"
    r"(^|_)judge|acceptable|sign_?off|confirm|complian"
)
# And of such a one True for "stop": the action goes on with False.
_STOPS = lazy_re(
    r"^_*(should|must)_(ask|block|deny|confirm|refuse|escalate|cancel|stop|halt|reject|interrupt)|"
    r"(needs?|requires?|required)_?\w*(approv|confirm|permission|consent|human|review)|"
    r"dangerous|unsafe|is_blocked|block(s|ed)?_(command|call|action|tool)|^_*block(ed)?$|harmful|"
    r"malicious|toxic|(prompt|is|has|detects?|contains)_(\w+_)?injection|jailbreak|flagged|risky|"
    r"destructive|violat|tripwire|denied|^_*deny|contains_(pii|secret|profan)"
)
# Going on is what a person who leaves wants; nothing is guarded there.
_LEAVES = lazy_re(r"exit|quit|leave|abort|shutdown|logout")
_YES_KEYS = frozenset(
    "approved allowed allow is_allowed is_safe safe permitted authorized is_approved "
    "is_authorized confirmed".split()
)
_NO_KEYS = frozenset("tripwire_triggered blocked block denied is_dangerous flagged".split())
_DECISIONS = frozenset(
    "decision behavior verdict permission_decision permissionDecision judgement".split()
)
_YES_TEXTS = frozenset("allow allowed approve approved yes y accept accepted pass safe".split())
_YES_CLASSES = lazy_re(r"Allow(ed)?$|Approved?$|\.allow$|\.approve$")
_YES_MEMBERS = lazy_re(r"\.(ALLOW|ALLOWED|APPROVE|APPROVED|SAFE|YES)$")
GUARDRAILS = frozenset(
    "input_guardrail output_guardrail tool_input_guardrail tool_output_guardrail".split()
)


_HUMP = lazy_re(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=8192)
def snake(name: str) -> str:
    """`isSafe` and `is_safe` alike, in lower case."""
    return _HUMP.sub("_", name).lower()


@lru_cache(maxsize=8192)
def meaning(name: str) -> bool | None:
    """The answer under a name that lets an action go on; None for a name of no guard."""
    word = snake(name)
    if _LEAVES.search(word):
        return None
    if _STOPS.search(word):
        return False
    return True if _ALLOWS.search(word) else None


def guard_answer(fn: Fn) -> bool | None:
    """The answer by which a function lets an action go on; None where it is no guard."""
    decorators = fn.facts.decorators
    if decorators and any(last_name(_undecorated(d)) in GUARDRAILS for d in decorators):
        return True
    return meaning(fn.name) if fn.index else None


def _undecorated(decorator: E.Expr) -> E.Expr:
    return decorator.func if isinstance(decorator, E.Call) else decorator


def lets_through(value: E.Expr | None, answer: Answer) -> bool:
    """Whether a value says yes; `answer` is the bare one that does, None where no guard asks."""
    match value:
        case E.Const(value=bool() as said):
            return said is answer
        case E.Const(value=str() as text):
            return answer is True and text.strip().lower() in _YES_TEXTS
        case E.Items(kind="tuple", items=(first, *_)):
            return isinstance(first, E.Const) and lets_through(first, answer)
        case E.Entries():
            return any(
                _says_yes(string(e.key) or "", e.value) for e in value.entries if e.key is not None
            )
        case E.Call():
            written = dotted(value.func) or ""
            if not written.endswith(".get") and _YES_CLASSES.search(written):
                return True
            return any(_says_yes(a.name or "", a.value) for a in value.args)
        case E.Attr():
            return bool(_YES_MEMBERS.search(dotted(value) or ""))
        case _:
            return False


def _says_yes(key: str, value: E.Expr) -> bool:
    if isinstance(value, (E.Entries, E.Call)):
        return lets_through(value, None)
    if not isinstance(value, E.Const):
        return False
    if key in _DECISIONS:
        return string(value) is not None and str(value.value).lower() in _YES_TEXTS
    return (key in _YES_KEYS and value.value is True) or (key in _NO_KEYS and value.value is False)


def refuses(value: E.Expr | None, answer: Answer) -> bool:
    """Whether a bare value is the guard's no."""
    if isinstance(value, E.Items) and value.items:
        value = value.items[0]
    return (
        isinstance(value, E.Const)
        and isinstance(value.value, bool)
        and (answer is not None and value.value is not answer)
    )


def is_verdict_key(key: str | None) -> bool:
    """Whether a key holds a yes or no about an action."""
    return key in _YES_KEYS
