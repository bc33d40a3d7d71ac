"""What a tool does, by its name: for tools whose code is not at hand."""

from __future__ import annotations

from agentcheck.graph.effect_words import (
    ACT_VERBS,
    READ_VERBS,
    acts,
    reads,
    verb_of,
    weight_of,
    words_of,
)
from agentcheck.whatif.policy.form import Does

_RUNNERS = frozenset(
    """
    bash cmd eval exec interpreter ipython powershell python repl sandbox shell terminal zsh
    """.split()
)
_RUNS = frozenset("execute run invoke start submit".split())
_RUN = frozenset("code command commands program script scripts sql".split())


def does_by_name(name: str) -> Does:
    """What a name says a tool does; "unknown" where it says nothing."""
    words = words_of(name)
    if words[:2] == ("transfer", "to") or words[:1] == ("handoff",):
        return "handoff"
    if _runs_code(words):
        return "code"
    if reads(words):
        return "reads"
    if ACT_VERBS.get(verb_of(words) or "") == "destructive":
        return "destructive"  # of a mail as of a file, whatever its object weighs
    return weight_of(words) or ("change" if acts(name) else "unknown")


def _runs_code(words: tuple[str, ...]) -> bool:
    if not words or words[0] in READ_VERBS:
        return False
    if not _RUNNERS.isdisjoint(words):
        return True
    return words[0] in _RUNS and not _RUN.isdisjoint(words[1:])
