"""What runs tell of calls that a person or a policy was asked about."""

from __future__ import annotations

import re

from agentcheck.model.event import Approval, Run, ToolCall, ToolResult
from agentcheck.model.pattern import lazy_re
from agentcheck.trace.arguments import canonical

# What a program answers in place of a call that was not carried out, or not yet. A word too many
# here only hides a fault.
_NOT_DONE = lazy_re(
    r"n['’]t\b|\b(?:no|not|never|den(?:y|ied|ial)|reject\w*|declin\w*|refus\w*|disallow\w*|forbid\w*"
    r"|block\w*|cancel\w*|abort\w*|skip\w*|permission\w*|pending|await\w*|wait\w*|approv\w*"
    r"|confirm\w*|human|error\w*|fail\w*|interrupt\w*|stop\w*|instead)(?!\w)",
    re.IGNORECASE,
)

_FAILED = lazy_re(r'"(?:error|errors|exception)"\s*:\s*(?!null|false|"")', re.IGNORECASE)


def denials(run: Run) -> dict[str, Approval]:
    """The calls that somebody said no to at last, with the no."""
    said = {a.call_key: a for a in run.all(Approval) if a.state != "requested"}
    return {key: a for key, a in said.items() if key is not None and a.state == "denied"}


def is_done(call: ToolCall, result: ToolResult) -> bool:
    """Whether a call was carried out, as far as its result tells.

    A word that the tool has its name from, such as "cancelled" of cancel_card, is no refusal.
    """
    if result.is_error or not (result.content or result.is_error is False):
        return False
    name = call.name.lower()
    said = (match[0].lower() for match in _NOT_DONE.finditer(result.content[:400]))
    return all(len(word) > 5 and word[:5] in name for word in said)


def seems_done(call: ToolCall, result: ToolResult) -> bool:
    """As `is_done`, but a "no" in a field of data denies nothing."""
    data = result.content.lstrip()[:1] in ("{", "[")
    if data and not result.is_error:
        return _FAILED.search(result.content[:400]) is None
    return is_done(call, result)


def same_call(call: ToolCall) -> tuple[str, str]:
    """What two calls have in common that ask for the same."""
    return call.name, call.arguments_raw if call.arguments is None else canonical(call.arguments)
