"""A run at a glance: what a check needs to know that the run is as most runs are.

A check may answer from the outline alone (`usual_run`), which takes no events. Whatever an outline
leaves open goes to the check itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from agentcheck.model.assessment import Verdict
from agentcheck.model.event import (
    Approval,
    Compaction,
    FieldGroup,
    Guardrail,
    Handoff,
    Message,
    ModelCall,
    Run,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)
from agentcheck.trace.arguments import canonical
from agentcheck.trace.prices import input_tokens

Usual: TypeAlias = tuple[str, Verdict] | None
"""The subject and the verdict of a check's only answer, or None where it takes a closer look."""


_CUT = frozenset({"length", "content_filter"})
GAP = "\n\n"


class Outline(Struct, kw_only=True, gc=False):
    """What stands in a run, without where.

    `subject` is the run's name, `speaker` the only agent that asks the model, if one does, else
    the subject. `calls` are the arguments as written, by tool, `given` the same as objects.
    `said` are the texts of agents, `system` the system prompts, `other` the texts of everybody
    else. `replies` is the length of the longest loop, `turns` that of the longest loop of one
    agent, `loops` the number of the latter. `size` is the number of characters before the last
    reply, `most` the largest input in tokens where each reply counts its own.

    The flags: replies that were `counted` in tokens, that are `named` by model, or `cut`; counts
    of what was `cached`, prompts that are `heads` of inputs, tools with `schemas`, `broken`
    arguments, results that `failed`, guards that `blocked`, approvals `asked` for, agents that
    `handed` over, histories `shortened`, runs `stopped` by their limit; whether all calls and
    results are `paired`, and the assistant `answered` anything.
    """

    subject: str
    known: frozenset[FieldGroup]
    unknown: int = 0
    speaker: str = ""
    calls: dict[str, list[str]] = {}
    given: dict[str, list[dict[str, Any] | None]] = {}
    results: list[str] = []
    said: list[str] = []
    system: list[str] = []
    other: list[str] = []
    replies: int = 0
    turns: int = 0
    loops: int = 1
    size: int = 0
    most: int | None = None
    counted: bool = False
    named: bool = False
    cached: bool = False
    heads: bool = False
    schemas: bool = False
    broken: bool = False
    failed: bool = False
    cut: bool = False
    blocked: bool = False
    asked: bool = False
    handed: bool = False
    shortened: bool = False
    stopped: bool = False
    paired: bool = True
    answered: bool = False
    joined: str | None = None

    def brought(self) -> str:
        """The texts of all results, blank lines in between."""
        if self.joined is None:
            self.joined = GAP.join(self.results)
        return self.joined

    def met(self) -> Usual:
        """Nothing wrong among what was looked at, as `run_met` says it."""
        return self.subject, "cannot-tell" if self.unknown else "met"

    def idle(self) -> Usual:
        """The run gives no occasion to ask, as `run_not_applicable` says it."""
        return self.subject, "cannot-tell" if self.unknown else "not-applicable"

    def unclear(self) -> Usual:
        """The run's format leaves out what the question needs."""
        return self.subject, "cannot-tell"

    def alike(self, name: str) -> int:
        """How many calls of a tool may have the same arguments, at most."""
        values = self.given.get(name, ())
        if len(values) < 2:
            return len(values)
        counts: dict[object, int] = {}
        for value in values:
            key = None if value is None else _key(value)
            counts[key] = counts.get(key, 0) + 1
        return max(counts.values())


def _key(value: dict[str, Any]) -> object:
    """What is equal for equal arguments."""
    try:
        return frozenset(value.items())
    except TypeError:
        return canonical(value)


class Recorded(NamedTuple):
    """A run of a file: its outline, and what plays it."""

    outline: Outline
    play: Callable[[], Run]


def recorded(run: Run) -> Recorded:
    """A run that was played already."""
    return Recorded(outline_of(run), partial(_itself, run))


def outline_of(run: Run) -> Outline:
    """The outline of a run that was played."""
    found = _Finding(run)
    for event in run.events:
        take = _TAKE.get(type(event))
        if take is not None:
            take(found, event)
    return found.outline()


def _itself(run: Run) -> Run:
    return run


def begins(call: ModelCall, message: Message) -> bool:
    """Whether the record of a request says that it was sent with a system prompt."""
    same = call.source.record == message.source.record
    return same and call.system_text is not None and call.system_text == message.text


class _Finding:
    """An outline in the making."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._out = Outline(
            subject=run.name,
            known=run.known,
            unknown=run.unknown_records,
            calls={},
            given={},
            results=[],
            said=[],
            system=[],
            other=[],
        )
        self._loops: dict[str | None, int] = {}
        self._agents: dict[tuple[str | None, str | None], int] = {}
        self._keys: set[str] = set()
        self._settled: set[str | None] = set()
        self._length = self._uncounted = 0
        self._system: Message | None = None

    def outline(self) -> Outline:
        out = self._out
        agents = {agent for _, agent in self._agents}
        only = agents.pop() if len(agents) == 1 else None
        out.speaker = only or out.subject
        out.replies = max(self._loops.values(), default=0)
        out.turns = max(self._agents.values(), default=0)
        out.loops = len(self._agents)
        out.most = None if self._uncounted else out.most
        out.paired = out.paired and self._keys <= self._settled
        return out

    def start(self, event: RunStart) -> None:
        self._out.schemas = self._out.schemas or bool(event.tools)

    def message(self, event: Message) -> None:
        out = self._out
        if event.role == "assistant" or event.agent is not None:
            out.said.append(event.text)
            out.answered = out.answered or event.role == "assistant"
        elif event.role == "system" or event.role == "developer":
            out.system.append(event.text)
        else:
            out.other.append(event.text)
        if event.role in ("system", "developer"):
            self._system = event
            out.heads = out.heads or event.source.pointer.endswith("0")
        self._length += len(event.text)

    def reply(self, event: ModelCall) -> None:
        out = self._out
        self._loops[event.loop] = self._loops.get(event.loop, 0) + 1
        out.heads = out.heads or (self._system is not None and begins(event, self._system))
        pair = event.loop, event.agent
        self._agents[pair] = self._agents.get(pair, 0) + 1
        out.size = self._length
        given = input_tokens(event)
        if given is None:
            self._uncounted += 1
        else:
            out.counted = True
            out.most = max(out.most or 0, given)
        out.cached = out.cached or event.cache_read is not None
        out.named = out.named or bool(event.response_model or event.request_model)
        out.cut = out.cut or event.finish_reason in _CUT

    def call(self, event: ToolCall) -> None:
        self._out.calls.setdefault(event.name, []).append(event.arguments_raw)
        self._out.given.setdefault(event.name, []).append(event.arguments)
        self._out.broken = self._out.broken or event.parse_error is not None
        self._keys.add(event.call_key)
        self._length += len(event.name) + len(event.arguments_raw)

    def result(self, event: ToolResult) -> None:
        out = self._out
        out.results.append(event.content)
        out.failed = out.failed or bool(event.is_error)
        out.paired = out.paired and event.call_key is not None
        self._settled.add(event.call_key)
        self._length += len(event.content)

    def handoff(self, event: Handoff) -> None:
        self._out.handed = True
        self._settled.add(event.call_key)

    def approval(self, event: Approval) -> None:
        self._out.asked = True
        self._settled.add(event.call_key)

    def guard(self, event: Guardrail) -> None:
        self._out.blocked = self._out.blocked or event.triggered

    def shorten(self, _event: Compaction) -> None:
        self._out.shortened = True

    def end(self, event: RunEnd) -> None:
        self._out.stopped = self._out.stopped or event.status == "max_turns"


_TAKE: dict[type[Any], Callable[[_Finding, Any], None]] = {
    RunStart: _Finding.start,
    Message: _Finding.message,
    ModelCall: _Finding.reply,
    ToolCall: _Finding.call,
    ToolResult: _Finding.result,
    Handoff: _Finding.handoff,
    Approval: _Finding.approval,
    Guardrail: _Finding.guard,
    Compaction: _Finding.shorten,
    RunEnd: _Finding.end,
}
