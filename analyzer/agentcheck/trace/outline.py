"""A run at a glance: what a check needs to know that the run is as most runs are.

A check may answer from the outline alone (`usual_run`), which takes no events. Whatever an outline
leaves open goes to the check itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from agentcheck.model.assessment import Verdict
from agentcheck.model.event import FieldGroup, Run
from agentcheck.trace.arguments import canonical

Usual: TypeAlias = tuple[str, Verdict] | None
"""The subject and the verdict of a check's only answer, or None where it takes a closer look."""
GAP = "\n\n"
"""What stands between texts that are searched together."""


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
    results are `paired`, and the assistant `answered` anything. `joined` is made by `brought`.
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
