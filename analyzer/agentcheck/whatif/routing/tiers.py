"""The tier that a call belonged to by its reply, and the one that its input foretold.

The rule of thumb for replies: short ones are for the small tier, long ones that reason for the
large. Beforehand only the ask is known: the last message of a person, whose tier holds for all
calls until the next, as tools are called on the way to one answer.
"""

from __future__ import annotations

from typing import NamedTuple

from agentcheck.model.pattern import lazy_re
from agentcheck.model.whatif_settings import RoutingSettings, Tier

_REASONS = lazy_re(
    r"(?i)\b(?:because|therefore|thus|hence|however|although|whereas|unless|otherwise|instead"
    r"|consequently|trade-?offs?|alternatively|assum(?:e|ing|ption)s?|implies|it follows)\b"
)
_HARD = lazy_re(
    r"(?i)\b(?:architect\w*|design(?:s|ing)?|re-?design\w*|refactor\w*|migrat(?:e|ing|ion)\w*"
    r"|prove|proof|threat model\w*|red[- ]team\w*|strategy|strategies|essay|white ?paper"
    r"|in[- ]depth|in detail|comprehensive\w*|thorough\w*|exhaustive\w*)\b"
)
_WORK = lazy_re(
    r"(?i)\b(?:summar\w+|explain\w*|compar\w+|analy[sz]\w+|implement\w*|debug\w*|fix(?:es|ing)?"
    r"|write|draft\w*|plan (?:a|an|the|my|our|how|out)|step[- ]by[- ]step|evaluat\w+"
    r"|investigat\w+|optimi[sz]\w+|review\w*|translat\w+|why (?:is|are|do|does|did|was|were))\b"
)


class Ask(NamedTuple):
    """What a router knows: the tier that an ask is taken for, and whether it is plain."""

    tier: Tier
    plain: bool


def foretold(text: str, settings: RoutingSettings) -> Ask:
    """The tier of an ask by its words alone, in English.

    Plain are short asks that name no work, and asks that name hard work; those between are what a
    router would have a model classify.
    """
    short = len(text.split()) <= settings.short_words
    if _HARD.search(text):
        return Ask("large", plain=not short)
    if _WORK.search(text):
        return Ask("medium", plain=False)
    return Ask("small", plain=True) if short else Ask("medium", plain=False)


def shown(text: str, tokens: int, settings: RoutingSettings) -> Tier:
    """The tier of a reply in hindsight, by its length and what it says."""
    if tokens < settings.small_below:
        return "small"
    if tokens > settings.large_above and reasons_in(text) >= settings.reasoning_words:
        return "large"
    return "medium"


def reasons_in(text: str) -> int:
    """How many words of a text connect arguments."""
    return len(_REASONS.findall(text))
