"""Which tool is called how often, how often that fails, and what its results add to the context."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.model.event import (
    Event,
    Message,
    ModelCall,
    Run,
    RunStart,
    ToolCall,
    ToolResult,
)
from agentcheck.model.runs import ToolUse
from agentcheck.trace.amounts import tokens_given, tokens_made
from agentcheck.trace.glance.counter import REST, Kept


class _Use:
    """The counts of one tool, in the making."""

    __slots__ = ("added", "calls", "chars", "failed", "last", "runs", "unanswered", "unclear")

    def __init__(self) -> None:
        self.calls = self.runs = self.failed = self.unanswered = self.unclear = self.chars = 0
        self.added: float | None = None
        self.last: int | None = None


class Tools:
    """Counts calls by tool."""

    def __init__(self) -> None:
        self._uses: Kept[_Use] = Kept(_Use)
        self._offered: Kept[list[int]] = Kept(lambda: [0])
        self._run = 0

    def add(self, run: Run) -> None:
        """Take in one run."""
        self._run += 1
        answers = run.answers
        for call in run.all(ToolCall):
            use = self._uses.at(call.name)
            use.calls += 1
            if use.last != self._run:
                use.runs, use.last = use.runs + 1, self._run
            _answered(use, run, answers.get(call.call_key))
        for name, tokens in _added(run) if "usage" in run.known else ():
            use = self._uses.at(name)
            use.added = (use.added or 0.0) + tokens
        for start in run.all(RunStart):
            for name in start.tools:
                self._offered.at(str(name))

    def rows(self) -> tuple[ToolUse, ...]:
        """The tools, most called first."""
        found = sorted(self._uses.items(), key=lambda row: (row[0] == REST, -row[1].calls))
        return tuple(_row(name, use) for name, use in found if use.calls)

    def uncalled(self) -> tuple[str, ...]:
        """The tools that were offered to a model and never called."""
        full = REST in self._uses
        return () if full else tuple(n for n in self._offered if n not in self._uses)


def _answered(use: _Use, run: Run, answer: ToolResult | None) -> None:
    if answer is None:
        if "results" in run.known:
            use.unanswered += 1
        else:
            use.unclear += 1
        return
    use.chars += len(answer.content)
    use.failed += answer.is_error is True
    use.unclear += answer.is_error is None and "errors" not in run.known


def _row(name: str, use: _Use) -> ToolUse:
    added = None if use.added is None else round(use.added)
    return ToolUse(
        name, use.calls, use.runs, use.failed, use.unanswered, use.unclear, use.chars, added
    )


def _added(run: Run) -> Iterator[tuple[str, float]]:
    """What the results between two replies of one loop added to the second, shared by length.

    A request holds the one before it, the reply to that, and what came since. Where other things
    than results came since, or history was shortened, nothing is told.
    """
    before: dict[tuple[str | None, str | None], ModelCall] = {}
    names = {call.call_key: call.name for call in run.all(ToolCall)}
    since: list[ToolResult] = []
    mixed = False
    for event in run.events:
        if isinstance(event, ModelCall):
            last = before.get((event.loop, event.agent))
            grown = None if last is None or mixed else _grown(last, event)
            yield from _shared(since, names, grown)
            before = {(event.loop, event.agent): event}
            since, mixed = [], False
        elif isinstance(event, ToolResult):
            since.append(event)
        else:
            mixed = mixed or _other(event)


def _other(event: Event) -> bool:
    return isinstance(event, Message) and event.role != "assistant"


def _grown(last: ModelCall, now: ModelCall) -> int | None:
    then, given, made = tokens_given(last), tokens_given(now), tokens_made(last)
    if then is None or given is None or made is None:
        return None
    grown = given - then - made
    return grown if grown > 0 else None


def _shared(
    results: list[ToolResult], names: dict[str, str], grown: int | None
) -> Iterator[tuple[str, float]]:
    whole = sum(len(result.content) for result in results)
    if grown is None or not whole:
        return
    for result in results:
        name = names.get(result.call_key or "")
        if name is not None:
            yield name, grown * len(result.content) / whole
