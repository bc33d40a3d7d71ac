"""The five strategies: which messages of a history each keeps, and what it puts in their place.

All keep the system's messages and the last ones; none parts a call from its result, so that the
window is as much longer as it takes to hold both.

- placeholder: a line says how much was left out;
- window: nothing says so;
- summary: a model's summary stands for what was left out;
- selective: older results of tools stay, with their calls, and older decisions;
- retrieval: half of the window is the last messages, the other half those of the older messages
  that answer the last question and the last message best.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from agentcheck.model.pattern import lazy_re
from agentcheck.whatif.conversation import Said

Strategy = Literal["placeholder", "window", "summary", "selective", "retrieval"]
STRATEGIES: tuple[Strategy, ...] = ("placeholder", "window", "summary", "selective", "retrieval")

PLACEHOLDER = 15
"""Tokens of the line that says how much was left out."""
_A_TENTH = 10
_DECISION = lazy_re(
    r"(?i)\b(?:decision|decided|agreed)\s*[:\u2013\u2014-]"
    r"|\b(?:we|i)(?:'ve| have)? (?:now )?(?:decided|agreed|settled) (?:on|to|that)\b"
    r"|\b(?:let's|let us|we'll|we will|i'll|i will) (?:go with|stick with|settle on)\b"
    r"|\bthe (?:final )?decision is\b|\bfinal choice\b|\bgoing with\b"
)


class Searches(Protocol):
    """An index of the messages of a conversation, by number."""

    def add(self, text: str) -> None:
        """The next message."""

    def scores(self, query: str) -> dict[int, float]:
        """How well messages answer a query."""


class Kept(NamedTuple):
    """The messages that are kept, by index, in order, and the tokens of what stands for others."""

    messages: list[int]
    instead: int = 0


def is_decision(said: Said) -> bool:
    """Whether a message says in English that something was decided."""
    return said.role in ("user", "assistant") and _DECISION.search(said.text) is not None


class History:
    """The messages up to some call of a model, which grow from call to call.

    Its length is the number of messages besides the system's; `sizes` are the tokens of each.
    """

    def __init__(self, search: Searches, keep_last: int, summary_tokens: int) -> None:
        self._search = search
        self._last, self._summary = keep_last, summary_tokens
        self.messages: list[Said] = []
        self._static: list[int] = []
        self._moving: list[int] = []
        self._telling: list[int] = []
        self._atoms: dict[int, list[int]] = {}
        self.sizes: list[int] = []
        self._asked = ""
        self.total = 0
        """The tokens of all messages, estimated."""

    def __len__(self) -> int:
        return len(self._moving)

    def grow(self, messages: Sequence[Said]) -> None:
        """Take in the messages that follow those so far."""
        for said in messages:
            self.messages.append(said)
            self.sizes.append(said.tokens)
            self.total += self.sizes[-1]
            self._search.add("" if said.is_static else said.whole)
            (self._static if said.is_static else self._moving).append(said.at)
            self._atoms.setdefault(said.atom, []).append(said.at)
            if said.role == "tool" or is_decision(said):
                self._telling.append(said.at)
            if said.role == "user":
                self._asked = said.text

    def parted(self, kept: list[int]) -> tuple[list[int], list[int]]:
        """Kept messages as the system's, of which none is missing, and the others."""
        count = len(self._static)
        if kept[:count] == self._static:  # as nearly always: they come first
            return self._static[:], kept[count:]
        return self._static[:], [at for at in kept if not self.messages[at].is_static]

    def kept(self, strategy: Strategy) -> Kept:
        """What a strategy keeps of the messages so far; all of them where they are no more."""
        if len(self._moving) <= self._last:
            return Kept(list(range(len(self.messages))))
        window = self._moving[-self._last :]
        match strategy:
            case "selective":
                return Kept(self._joined((*self._telling, *window)))
            case "retrieval":
                return Kept(self._joined(self._found()))
        kept = self._joined(window)
        left = self.total - self.tokens(kept)
        if strategy == "window" or not left:
            return Kept(kept)
        return Kept(kept, PLACEHOLDER if strategy == "placeholder" else self.summary_of(left))

    def summary_of(self, tokens: int) -> int:
        """The tokens that a summary of so many is taken to have."""
        return min(-(-tokens // _A_TENTH), self._summary)

    def tokens(self, kept: Iterable[int]) -> int:
        """The tokens of some messages, estimated."""
        return sum(map(self.sizes.__getitem__, kept))

    def _joined(self, wanted: Iterable[int]) -> list[int]:
        """Messages with those that they may not be parted from, and the system's."""
        atoms = {self.messages[at].atom for at in wanted}
        joined = {at for atom in atoms for at in self._atoms[atom]}
        return sorted(joined.union(self._static))

    def _found(self) -> list[int]:
        last = self._moving[-max(self._last // 2, 1) :]
        kept = set(self._joined(last)).difference(self._static)
        scores = self._search.scores(f"{self._asked}\n{self.messages[-1].whole}")
        for at in sorted(scores, key=lambda at: (-scores[at], -at)):
            if len(kept) >= self._last:
                break
            if at not in kept:
                kept.update(self._atoms[self.messages[at].atom])
        return sorted(kept)
