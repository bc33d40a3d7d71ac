"""What a guard's pattern lets pass that it was written to catch."""

from __future__ import annotations

import re
from typing import Literal

from agentcheck.rule import lazy_re
from agentcheck_rules.guards._patterns import Pattern

Hole = Literal["case", "start", "end"]
_WORD = lazy_re(r"[A-Za-z]{3,}")
_CLASS = lazy_re(r"\[(?:\\.|[^\]\\])*\]")
_ESCAPE = lazy_re(r"\\[A-Za-z]")
# What stands in patterns for commands, code, keys and addresses, where case tells things apart.
_CODE = lazy_re(r"[_$/=<>@&;`#%~\"']|\\[().|{}\[\]$/*]|--|-\w|::|\d")
_SHELL = frozenset(
    "rm sudo mkfs chmod chown curl wget bash eval exec import subprocess kill shutdown reboot "
    "env base64 nohup printenv dd mv cp cat echo python perl ruby node pip npm git docker".split()
)
_BOTH_CASES = lazy_re(r"\[(?:([a-z])([A-Z])|([A-Z])([a-z]))\]|A-Za-z|a-zA-Z")
_ANYTHING = lazy_re(r"^\(?\^?(\(\?[a-z]+\))?\(?(\.\*|\.\+|\[\\s\\S\]\*|\[\\w\\W\]\*)")
_ENDED = lazy_re(r"(\$|\\[Zz]|\\/|/|\.\*|\.\+|\(\?=[^)]*\)|\(\?:?[^()]*\$[^()]*\))\)*$")
# Verdicts of a judge: such a pattern reads an answer, it does not let a text in.
_VERDICT = lazy_re(r"approv|accept|pass|yes|safe|true|allow|lgtm|valid|correct|score", re.I)
_WHOLE = lazy_re(
    r"url|uri|host|domain|origin|path|file|command|cmd|email|sql|query|code|expr|recipient|link"
)
_NAMED = lazy_re(r"url|uri|host|domain|path|name|tool|(^|_)ip(_|$)|addr|scheme|line|key|model")


def hole_of(pattern: Pattern) -> Hole | None:
    """What is wrong with a pattern; None where nothing is seen."""
    if pattern.means == "allow":
        return "end" if _open_end(pattern) else None
    if pattern.how == "match" and _starts_only(pattern):
        return "start"
    return "case" if not pattern.folds and is_prose(pattern.text) else None


def is_prose(text: str) -> bool:
    """Whether a pattern is words of a language, which can be written in either case."""
    if _BOTH_CASES.search(text):
        return False
    plain = _ESCAPE.sub(" ", _CLASS.sub(" ", re.sub(r"\(\?[^)]{0,3}", " ", text)))
    if _CODE.search(re.sub(r"\{\d*,?\d*\}", " ", plain)):
        return False
    words = list(_WORD.findall(plain))
    if len(words) < 2 or any(w.lower() in _SHELL for w in words):
        return False
    cases = {"upper" if w.isupper() else "lower" if w.islower() else "mixed" for w in words}
    return len(cases) == 1 and max(map(len, words)) >= 4


def _starts_only(pattern: Pattern) -> bool:
    text = pattern.text
    if text.startswith("^") or _ANYTHING.match(text) or text.endswith(("$", r"\Z")):
        return False
    return bool(_WORD.search(_ESCAPE.sub(" ", text))) and not (
        _NAMED.search(pattern.subject) or ":" in text.replace("(?:", "")
    )


def _open_end(pattern: Pattern) -> bool:
    text = pattern.text
    if pattern.how not in ("match", "search") or _ENDED.search(text) or _VERDICT.search(text):
        return False
    anchored = pattern.how == "match" or text.startswith("^")
    return anchored and bool(_WHOLE.search(pattern.subject))
