"""What the user asked about: those findings come first, and are named under the words asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from agentcheck.model.finding import Finding
from agentcheck.model.pattern import lazy_re
from agentcheck.model.report import Asked
from agentcheck.rule import Rule
from agentcheck.run.select import rank

_WORD = lazy_re(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|\d+")
_FILLERS = frozenset(
    "a an and any are at be by can do does for from has have how i in is it its my no not of on or "
    "our so that the their there this to us we what when where which who with".split()
)
_ENDINGS = ("ations", "ation", "ings", "ing", "als", "al", "ies", "ed", "es", "s", "e", "y")
_SHORTEST = 3


class Focus:
    """Matches findings with topics, families, names, codes and free words.

    A selector of rules means those rules. Any other text means the findings whose rule, place or
    words hold all of its words, whatever their endings.
    """

    def __init__(self, abouts: Iterable[str], rules: Sequence[Rule]) -> None:
        self._rules = {about: _rules(about, rules) for about in abouts}
        self._speaking = {about: _speaking(about, rules) for about in self._rules}

    def holds(self, finding: Finding) -> bool:
        """Whether the finding is about anything that was asked."""
        return any(self._is_about(finding, about) for about in self._rules)

    def told(self, findings: Sequence[Finding]) -> tuple[Asked, ...]:
        """What was asked, each with the rules that speak of it and the findings in their order."""
        return tuple(
            Asked(
                about,
                tuple(sorted(self._rules[about] or self._speaking[about])),
                tuple(f.id for f in findings if self._is_about(f, about)),
            )
            for about in self._rules
        )

    def _is_about(self, finding: Finding, about: str) -> bool:
        rules = self._rules[about]
        if rules:
            return finding.rule in rules
        if finding.rule in self._speaking[about]:
            return True
        said = (finding.title, finding.message, finding.subject, finding.owner, finding.topic)
        wanted = _stems(about)
        return bool(wanted) and wanted <= _stems(" ".join((*said, finding.primary.file)))


def _rules(about: str, rules: Sequence[Rule]) -> frozenset[str]:
    """The rules that a selector or a topic names; none for free words."""
    return frozenset(r.name for r in rules if about == r.card.topic or rank(r, (about,)))


def _speaking(about: str, rules: Sequence[Rule]) -> frozenset[str]:
    """The rules whose own words hold all of the words."""
    wanted = _stems(about)
    return frozenset(r.name for r in rules if wanted and wanted <= _stems(_words_of(r)))


def _words_of(rule: Rule) -> str:
    card = rule.card
    return " ".join((rule.name, rule.family, card.topic, card.title, card.question, *card.tags))


@lru_cache(maxsize=8192)
def _stems(text: str) -> frozenset[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in words if word not in _FILLERS)


def _stem(word: str) -> str:
    """The word without its ending, as far as three letters are left: "approvals" is "approv"."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word.removesuffix(ending)
    return word
