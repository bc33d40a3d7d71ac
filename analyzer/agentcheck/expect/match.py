"""Which runs a case is about."""

from __future__ import annotations

from agentcheck.expect.cases import Case, Match
from agentcheck.model.event import Run
from agentcheck.trace.endings import task_of


def wanted(case: Case) -> Match:
    """What a case asks of runs, its `task` among it."""
    match = case.match or Match.model_construct()
    return match if case.task is None else match.model_copy(update={"task": case.task})


def fits(match: Match, run: Run) -> bool:
    """Whether a run is one of those that a case is about."""
    return (
        (match.run is None or run.id == match.run)
        and (match.index is None or run.index == match.index)
        and (match.workflow is None or run.name == match.workflow)
        and (match.file is None or _is_file(run.file, match.file))
        and (match.agent is None or any(event.agent == match.agent for event in run.events))
        and _asks(match, run)
    )


def by_task(match: Match) -> bool:
    """Whether the texts of a run must be known to tell."""
    return match.task is not None or match.task_contains is not None


def squeezed(text: str) -> str:
    """A text with its white space as single blanks."""
    return " ".join(text.split())


def _is_file(file: str, wanted: str) -> bool:
    """By the whole path, or its end."""
    return file == wanted or file.endswith(f"/{wanted.lstrip('/')}")


def _asks(match: Match, run: Run) -> bool:
    if not by_task(match):
        return True
    task = task_of(run)
    if task is None:
        return False
    said = squeezed(task)
    whole = match.task is None or said == squeezed(match.task)
    return whole and all(squeezed(part) in said for part in match.task_contains or ())
