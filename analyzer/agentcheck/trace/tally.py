"""An outline in the making, of a run that is told in order."""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import FieldGroup
from agentcheck.trace.outline import Outline


class Tally:
    """What was told so far."""

    __slots__ = ("_agents", "_length", "_loops", "_out", "_uncounted")

    def __init__(self) -> None:
        self._out = Outline(
            subject="",
            known=frozenset(),
            calls={},
            given={},
            results=[],
            said=[],
            system=[],
            other=[],
        )
        self._loops: dict[str | None, int] = {}
        self._agents: dict[tuple[str | None, str | None], int] = {}
        self._length = self._uncounted = 0

    def outline(self, name: str, known: frozenset[FieldGroup], unknown: int) -> Outline:
        """The outline of the run, which has a name, and so many records that could not be read."""
        out = self._out
        agents = {agent for _, agent in self._agents}
        only = agents.pop() if len(agents) == 1 else None
        out.subject, out.known, out.unknown = name, known, unknown
        out.speaker = only or name
        out.replies = max(self._loops.values(), default=0)
        out.turns = max(self._agents.values(), default=0)
        out.loops = len(self._agents)
        out.most = None if self._uncounted else out.most
        return out

    @property
    def flags(self) -> Outline:
        """The outline so far, to set flags of."""
        return self._out

    def message(self, role: str, text: str, agent: str | None, pointer: str = "") -> None:
        """A text that somebody said; `agent` is the agent in whose record it stands."""
        out = self._out
        if role == "assistant" or agent is not None:
            out.said.append(text)
            out.answered = out.answered or role == "assistant"
        elif role == "system" or role == "developer":
            out.system.append(text)
        else:
            out.other.append(text)
        if role == "system" or role == "developer":
            out.heads = out.heads or pointer.endswith("0")
        self._length += len(text)

    def reply(self, loop: str | None, agent: str | None, given: int | None) -> None:
        """The model was asked, with so many tokens."""
        out, pair = self._out, (loop, agent)
        self._loops[loop] = self._loops.get(loop, 0) + 1
        self._agents[pair] = self._agents.get(pair, 0) + 1
        out.size = self._length
        if given is None:
            self._uncounted += 1
        else:
            out.counted = True
            out.most = given if out.most is None or given > out.most else out.most

    def call(self, name: str, raw: str, arguments: dict[str, Any] | None) -> None:
        """A tool is called; without arguments as an object they are broken."""
        out = self._out
        out.calls.setdefault(name, []).append(raw)
        out.given.setdefault(name, []).append(arguments)
        out.broken = out.broken or arguments is None
        self._length += len(name) + len(raw)

    def result(self, text: str) -> None:
        """A call was answered."""
        self._out.results.append(text)
        self._length += len(text)
