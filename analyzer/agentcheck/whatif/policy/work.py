"""The most that a condition could do to a call, so that none can be made to run for long.

The library bounds the steps of comprehensions and the memory of a pattern, but not what one step
does: to search one long text for another in each of ten thousand steps takes minutes. So the work
is estimated from the expression and the size of what it sees, by the worst there is, and what is
too much is not begun. The estimate counts comparisons of characters, of which a machine does some
1e10 to 1e11 a second, and the same call always gets the same answer.
"""

from __future__ import annotations

import re

from msgspec import Struct

from agentcheck.model.pattern import lazy_re

MOST = 1e11
"""Comparisons of characters: seconds at the very worst."""
HELD = 1e8
"""Characters that the steps of comprehensions may make, for they are held at the same time."""
STEPS = 10_000
"""Steps of comprehensions after which the library gives up."""
_VALUE = 4_000
"""What it costs to take in or compare one value, in comparisons of characters."""
_STATE = 200
"""What it costs to carry one state of a pattern over one character."""
_STATES, _REPEATS = 100_000, 1_000
"""States that fit into the memory that RE2 gives a pattern, and repetitions that it allows."""

_LOOP = lazy_re(r"\.\s*(?:all|exists|exists_one|map|filter)\s*\(")
_USE = lazy_re(r"\b(?:args|tool|agent|tenant|tainted)\b|\(")
_TEXT = r"""[rR]?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_STRING = lazy_re(_TEXT)
_UNPLAIN = lazy_re(r"""//|"{3}|'{3}|\b[rR]["']""")
_TIMES = lazy_re(r"(\)?)\{(\d*),?(\d*)\}")


class Size(Struct, frozen=True):
    """How much a condition sees: values, and characters of texts and keys."""

    nodes: int
    characters: int


class Effort(Struct, frozen=True):
    """What an expression can do. `loops` are its comprehensions, `items` at most the items of a
    list that it writes out, `uses` how often it takes something up, `states` those of its
    patterns, 0 where it has none. `sought` is the length of what it seeks in texts, None where the
    call itself says what is sought."""

    loops: int
    items: int
    uses: int
    states: int
    sought: int | None

    def is_too_much(self, size: Size) -> bool:
        """Whether the worst call of a size would take too long, or too much memory."""
        steps, sought = self._steps(size), self.sought
        sought = size.characters // 4 if sought is None else sought
        searched = size.characters * (sought + self.states * _STATE)
        work = steps * self.uses * (searched + size.nodes * _VALUE)
        held = steps * self.uses * size.characters if self.loops else 0
        return work > MOST or held > HELD

    def _steps(self, size: Size) -> int:
        return min((size.nodes + self.items) ** self.loops, STEPS) if self.loops else 1


def effort_of(text: str) -> Effort:
    """What an expression can do at most, by its text."""
    # Within quotes nothing is done; where quotes are not plain to see all counts.
    bare = text if _UNPLAIN.search(text) else _STRING.sub('""', text)
    return Effort(
        loops=len(_LOOP.findall(bare)),
        items=bare.count(",") + 1,
        uses=max(len(_USE.findall(bare)), 1),
        states=_states(text),
        sought=len(text) if _is_told(text, "contains") else None,
    )


def _states(text: str) -> int:
    """The states of all patterns: each character of one as often as its groups are repeated."""
    if "matches" not in text:
        return 0
    if not _is_told(text, "matches"):
        return _STATES
    states, groups = len(text), 1
    for group, least, most in _TIMES.findall(text):
        times = max(int(number or 1) for number in (least, most))
        if group:
            groups = min(groups * times, _REPEATS)
        else:
            states += min(times, _REPEATS)
    return min(states * groups, _STATES)


def _is_told(text: str, function: str) -> bool:
    """Whether the expression itself says what a function is to look for, wherever it is called."""
    told = re.findall(rf"\b{function}\s*\(\s*{_TEXT}\s*\)", text)
    return len(told) == len(re.findall(rf"\b{function}\b", text))
