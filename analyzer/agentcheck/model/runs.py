"""What recorded runs show at a glance: timelines, counts over them, and what they leave open.

Everything that quotes a run is of kind "trace", so that reports mask it as they mask evidence.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

StepKind = Literal[
    "message", "turn", "call", "handoff", "approval", "guardrail", "compaction", "end"
]
Outcome = Literal["ok", "bad", "none", "unclear"]


class Step(Struct, frozen=True):
    """Something that happened in a run.

    `outcome` says how a call, an answer or a check went: "ok" or "bad"; "none" where a call has no
    result; "unclear" where the record does not tell. `word` is what to call that. `at` counts
    seconds from the first record with a time. Tokens, cost and seconds are None where not known.
    """

    what: StepKind
    word: str
    text: str
    record: str
    turn: int
    outcome: Outcome = "unclear"
    agent: str | None = None
    at: float | None = None
    seconds: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None


class Amounts(Struct, frozen=True):
    """What runs used. An amount of which some is not known is what is known of it (`at_least`)."""

    turns: int = 0
    calls: int = 0
    failed_calls: int = 0
    handoffs: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float | None = None
    at_least: tuple[Literal["tokens", "cost"], ...] = ()


class Timeline(Struct, frozen=True, tag_field="kind", tag="trace"):
    """One run in order. `left_out` counts the steps that are not among `steps`; they would stand
    before step number `gap`."""

    file: str
    run: int
    run_id: str
    name: str
    format: str
    status: str
    amounts: Amounts
    agents: tuple[str, ...]
    steps: tuple[Step, ...]
    left_out: int = 0
    gap: int = 0
    unread: int = 0


class Count(Struct, frozen=True, tag_field="kind", tag="trace"):
    """How often something was seen."""

    name: str
    count: int


class ToolUse(Struct, frozen=True, tag_field="kind", tag="trace"):
    """The calls of one tool: how many, in how many runs, how many failed or have no result.

    `unclear` counts results of which the record does not say whether they are errors.
    `result_chars` is the length of all results. `added_tokens` is what the results added to the
    next requests, as far as the usage of the replies around them tells; None where it does not.
    """

    name: str
    calls: int
    runs: int
    failed: int
    unanswered: int
    unclear: int
    result_chars: int
    added_tokens: int | None = None


class Spent(Struct, frozen=True, tag_field="kind", tag="trace"):
    """What replies used, by agent or by turn. `unknown` counts those without a count of tokens."""

    name: str
    replies: int
    unknown: int
    tokens_in: int
    tokens_out: int
    cost: float | None = None


class Repeat(Struct, frozen=True, tag_field="kind", tag="trace"):
    """Something that came again and again: one call, a loop of calls, or handoffs in a circle."""

    what: Literal["call", "loop", "handoffs"]
    name: str
    most: int
    runs: int
    place: str


class Open(Struct, frozen=True, tag_field="kind", tag="trace"):
    """Something that these runs cannot prove, and why."""

    why: Literal["not-carried", "not-exercised", "not-read"]
    text: str


class RunsSeen(Struct, frozen=True):
    """All runs together. `more` counts, by table, what is left out of it."""

    runs: int
    amounts: Amounts
    formats: tuple[Count, ...]
    ends: tuple[Count, ...]
    tools: tuple[ToolUse, ...]
    uncalled: tuple[Count, ...]
    agents: tuple[Spent, ...]
    turns: tuple[Spent, ...]
    repeats: tuple[Repeat, ...]
    timelines: tuple[Timeline, ...]
    open: tuple[Open, ...]
    more: dict[str, int] = {}
