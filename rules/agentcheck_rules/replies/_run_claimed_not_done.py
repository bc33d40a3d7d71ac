"""Last answers that tell of actions which the run did not carry out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentcheck.rule import (
    Assessment,
    Message,
    Outline,
    Run,
    RunStart,
    ToolCall,
    ToolResult,
    TraceSettings,
    Usual,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
    screen,
)
from agentcheck_rules._effects import acts
from agentcheck_rules.replies._claims_made import claim_in, same_verb, words_of
from agentcheck_rules.replies._run_tool_error_ignored import owns_up, told_at_once

_BAD = frozenset({"error", "errored", "fail", "failed", "failure", "denied", "rejected", "false"})
_LONGEST = 100_000
# Tools by which anything can be done, whatever their name says.
_ANYTHING = frozenset(
    "bash shell terminal exec execute python code run command browser computer sql script".split()
)
# The fields that `_says_so` looks at, wherever they stand; any of it may be escaped.
_may_say_so = screen(
    r'"(?:success|ok|succeeded|status)"\s*:\s*false',
    r'"(?:is_error|isError|failed)"\s*:\s*true',
    r'"status"\s*:\s*"(?i:error|fail|denied|rejected|false)',
    r'"(?:exit_code|exitCode|returncode|return_code|error)"',
    r"\\u",
)
LOOKED_FOR = (
    "a later call of the tool that succeeded",
    "a call of another tool that is named after the same action, or by which anything can be done",
    "words that own up to trouble",
)


def check_run(run: Run, settings: TraceSettings) -> Iterator[Assessment]:
    """Does the last answer claim no action whose call failed or was never made?"""
    lacking = run_lacks(run, run.name, "content") or run_lacks(run, run.name, "results")
    answer = next((m for m in reversed(run.all(Message)) if m.role == "assistant"), None)
    if lacking is not None or answer is None:
        yield lacking or run_not_applicable(run, run.name, "The run gave no answer.")
        return
    failed = list(_failed(run, answer, settings))
    never = _never_called(run, settings)
    if (failed or never) and owns_up(answer.text):
        yield run_met(run, run.name, "The last answer owns up to trouble.", [answer])
        return
    wrong = [
        _hit(call.name, answer, call, result)
        for call, result in failed
        if claim_in(answer.text, call.name, own=False)
    ]
    wrong += [
        _hit(name, answer, None, None) for name in never if claim_in(answer.text, name, own=True)
    ]
    yield from wrong
    if not wrong:
        yield run_met(run, run.name, "The last answer claims nothing that failed.", [answer])


def usual_run(outline: Outline, settings: TraceSettings) -> Usual:
    """No answer was given, or no result of a call that acts may be a failure."""
    if "content" not in outline.known or "results" not in outline.known:
        return outline.unclear()
    if not outline.answered:
        return outline.idle()
    if outline.schemas:
        return None
    acting = any(acts(name, settings) for name in outline.calls)
    failing = acting and (outline.failed or any(map(_may_fail, outline.results)))
    return None if failing else outline.met()


def _failed(
    run: Run, answer: Message, settings: TraceSettings
) -> Iterator[tuple[ToolCall, ToolResult]]:
    """The last calls of tools that act, where they failed and no like tool succeeded."""
    last = {c.name: c for c in run.all(ToolCall) if c.seq < answer.seq and acts(c.name, settings)}
    bad = {name: c for name, c in last.items() if _is_failure(run.answers.get(c.call_key))}
    for name, call in bad.items():
        done = any(same_verb(name, other) for other in last if other not in bad)
        result = run.answers[call.call_key]
        if not done and not told_at_once(run, result):
            yield call, result


def _is_failure(result: ToolResult | None) -> bool:
    """Whether a result says by a field that the call failed; a missing one says nothing."""
    if result is None:
        return False
    if result.is_error is not None and result.is_error:
        return True
    return _says_so(_object(result.content))


def _object(text: str) -> dict[str, Any]:
    if not text.startswith("{") or len(text) > _LONGEST:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _says_so(value: dict[str, Any]) -> bool:
    if any(value.get(key) is False for key in ("success", "ok", "succeeded", "status")):
        return True
    if any(value.get(key) is True for key in ("is_error", "isError", "failed")):
        return True
    status = value.get("status")
    if isinstance(status, str) and status.lower() in _BAD:
        return True
    codes = (value.get(k) for k in ("exit_code", "exitCode", "returncode", "return_code"))
    if any(type(code) is int and code != 0 for code in codes):
        return True
    good = any(value.get(key) is True for key in ("success", "ok", "succeeded"))
    return bool(value.get("error")) and not good


def _may_fail(content: str) -> bool:
    """Whether a result may say by a field that the call failed."""
    return content.startswith("{") and _may_say_so(content)


def _never_called(run: Run, settings: TraceSettings) -> list[str]:
    """The tools on offer that act and that nobody called, nor one named after the same action."""
    offered = {name for start in run.all(RunStart) for name in start.tools}
    called = {call.name for call in run.all(ToolCall)}
    if not offered or run.handed or any(not _ANYTHING.isdisjoint(words_of(n)) for n in called):
        return []
    idle = sorted(name for name in offered - called if acts(name, settings))
    return [name for name in idle if not any(same_verb(name, other) for other in called)]


def _hit(
    name: str, answer: Message, call: ToolCall | None, result: ToolResult | None
) -> Assessment:
    how = "its last call failed" if call else "it was never called"
    told: list[tuple[Any, str]] = [(answer, f"The answer that tells of what {name} does.")]
    if call is not None and result is not None:
        told += [(result, "The result of its last call: a failure."), (call, "The last call.")]
    return run_hit(
        name,
        f"The last answer says that what {name} does was done, and {how}.",
        told,
        owner=f"the agent {answer.agent}" if answer.agent else "the agent that answers",
        path=(
            f"{name} fails" if call else f"the model does not call {name}",
            "nothing compares the answer with what was carried out",
            "the user is told that it is done",
        ),
        looked_for=LOOKED_FOR,
        confidence="medium",
        persona=None if call else "pedantic",
    )
