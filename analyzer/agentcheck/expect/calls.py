"""Which tools a run is expected to call, and not to call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentcheck.expect.cases import CallCase
from agentcheck.expect.said import Said, failed, passed, unclear
from agentcheck.model.event import Run, ToolCall


def check_calls(run: Run, wanted: Sequence[CallCase]) -> Iterator[Said]:
    """Is each of these calls there, as often as it should be?"""
    for case in wanted:
        sure, maybe = _found(run, case)
        least, most = case.bounds
        count, possible = len(sure), len(sure) + len(maybe)
        blind = _blind(run)
        if most is not None and count > most:
            yield failed(f"{_told(case)} is called {_times(count)}, {_bounds(case)}.", sure[most])
        elif possible < least and not blind:
            near = _near(run, case)
            yield failed(f"{_told(case)} is called {_times(count)}, {_bounds(case)}{near}.")
        elif count >= least and (most is None or (possible <= most and not blind)):
            yield passed()
        else:
            yield unclear(blind or _why(run, case))


def check_not_calls(run: Run, unwanted: Sequence[CallCase]) -> Iterator[Said]:
    """Is none of these calls there? With a number of times: not that often."""
    for case in unwanted:
        sure, maybe = _found(run, case)
        least = max(case.bounds[0], 1)
        blind = _blind(run)
        if len(sure) >= least:
            yield failed(f"{_told(case)} is called {_times(len(sure))}.", sure[least - 1])
        elif blind or len(sure) + len(maybe) >= least:
            yield unclear(blind or _why(run, case))
        else:
            yield passed()


def check_order(run: Run, wanted: Sequence[str]) -> Iterator[Said]:
    """Are these tools called in this order, with whatever in between?"""
    rest = iter(run.all(ToolCall))
    done: list[str] = []
    for name in wanted:
        if not any(call.name == name for call in rest):
            blind = _blind(run)
            after = f" after {' -> '.join(done)}" if done else ""
            yield unclear(blind) if blind else failed(f"{name} is not called{after}.")
            return
        done.append(name)
    yield passed()


def within(expected: Any, given: Any) -> bool:
    """Whether expected arguments are among the given: keys of mappings may be left out."""
    if isinstance(expected, dict):
        return isinstance(given, dict) and all(
            key in given and within(value, given[key]) for key, value in expected.items()
        )
    if isinstance(expected, list | tuple):
        return (
            isinstance(given, list)
            and len(given) == len(expected)
            and all(within(one, other) for one, other in zip(expected, given, strict=True))
        )
    if isinstance(expected, bool) or isinstance(given, bool):
        return expected is given
    return bool(expected == given)


def _found(run: Run, case: CallCase) -> tuple[list[ToolCall], list[ToolCall]]:
    """The calls that are meant for sure, and those that may be."""
    sure, maybe = [], []
    for call in run.all(ToolCall):
        if call.name != case.tool:
            continue
        known = "content" in run.known
        given = within(case.arguments, call.arguments) if known else None
        parts = (True if not case.arguments else given, _went(run, call, case.result))
        if all(parts):
            sure.append(call)
        elif False not in parts:
            maybe.append(call)
    return sure, maybe


def _went(run: Run, call: ToolCall, wanted: str | None) -> bool | None:
    """Whether the result is as expected; None where the record does not tell."""
    answer = run.answers.get(call.call_key)
    if wanted is None:
        return True
    if answer is None:
        return wanted == "none" if "results" in run.known else None
    if wanted == "none":
        return False
    if answer.is_error is None and "errors" not in run.known:
        return None
    return bool(answer.is_error) == (wanted == "error")


def _blind(run: Run) -> str:
    """Why calls may be missing from what is known of the run; empty where none are."""
    if not run.all(ToolCall) and "results" not in run.known:
        return f"This {run.format} record does not carry calls of tools."
    if run.unknown_records:
        return f"{run.unknown_records} of the run's records could not be read."
    return ""


def _why(run: Run, case: CallCase) -> str:
    if case.arguments and "content" not in run.known:
        return f"This {run.format} record does not carry arguments."
    return f"This {run.format} record does not tell how calls of {case.tool} went."


def _near(run: Run, case: CallCase) -> str:
    """What there is of the tool, where it is not what was expected."""
    others = sum(call.name == case.tool for call in run.all(ToolCall))
    named = bool(case.arguments or case.result)
    return f"; {_times(others)} in all" if named and others else ""


def _told(case: CallCase) -> str:
    with_ = " with these arguments" if case.arguments else ""
    so = {None: "", "none": " without a result", "ok": " with success", "error": " with an error"}
    return f"{case.tool}{with_}{so[case.result]}"


def _bounds(case: CallCase) -> str:
    least, most = case.bounds
    if least == most:
        return f"not {_times(least)}"
    return f"not {_times(least)} or more" if most is None else f"not {least} to {_times(most)}"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
