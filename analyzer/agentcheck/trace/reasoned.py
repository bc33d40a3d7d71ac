"""A file of which no run comes says why, and a run of which nothing is told is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from agentcheck.model.event import Event, Run, RunEnd, RunStart
from agentcheck.model.report import Skipped
from agentcheck.trace.outline import Outline, Recorded

T = TypeVar("T")


def reasoned(
    told: Iterator[T | Skipped], name: str, form: str, is_blank: Callable[[T], bool]
) -> Iterator[T | Skipped]:
    """What a reader tells of a file, and a reason where it tells of no run, or of blank ones."""
    silent, blank = True, 0
    for one in told:
        silent = False
        if isinstance(one, Skipped) or not is_blank(one):
            yield one
        else:
            blank += 1
    if silent:
        yield Skipped(name, f"read as {form}, and no run is in it")
    elif blank:
        runs = "a run" if blank == 1 else f"{blank} runs"
        yield Skipped(name, f"read as {form}: nothing that happened in {runs} could be read")


def is_blank(run: Run) -> bool:
    """Whether nothing is told of a run but that there was one."""
    return all(_says_nothing(event) for event in run.events)


def _says_nothing(event: Event) -> bool:
    if isinstance(event, RunEnd):
        return event.status == "unknown" and not event.output and not event.labels
    return isinstance(event, RunStart)


def is_blank_outline(one: Recorded) -> bool:
    """The same of a run that need not be played to tell."""
    return not says_something(one.outline) and is_blank(one.play())


def says_something(out: Outline) -> bool:
    """Whether an outline has more of a run than that there was one."""
    return bool(out.replies or out.calls or out.results or out.said or out.other)
