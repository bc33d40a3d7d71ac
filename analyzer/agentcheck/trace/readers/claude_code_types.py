"""Kinds of records in sessions of Claude Code, and how its runs end."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.replay import Status

SILENT = frozenset(
    """summary progress attachment file-history-snapshot queue-operation stream_event
    rate_limit_event custom-title ai-title agent-name agent-setting agent-color last-prompt tag
    mode permission-mode pr-link worktree-state task-summary agent_metadata conversation_reset
    control_request control_response control_cancel_request keep_alive tool_progress
    tool_use_summary auth_status prompt_suggestion content-replacement""".split()
)
"""Kinds that hold neither messages nor calls nor results."""
KINDS = SILENT | {"user", "assistant", "system", "result"}
_LIMITS = ("max_turns", "max_budget")


def ending(result: dict[str, Any]) -> Status:
    """The status of a run by its `result` record.

    `subtype` is "success" or "error_max_turns", "error_during_execution", "error_max_budget_usd";
    `terminal_reason` (newer) is "completed", "max_turns", "aborted_streaming", "aborted_tools".
    """
    why = f"{result.get('subtype')} {result.get('terminal_reason')}"
    if any(limit in why for limit in _LIMITS):
        return "max_turns"
    if "aborted" in why:
        return "interrupted"
    if result.get("is_error") or "error" in why:
        return "error"
    return "completed" if "success" in why or "completed" in why else "unknown"
