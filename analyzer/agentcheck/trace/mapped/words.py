"""Words for how things came out, in a log of a user's own: his, or else such as most logs have."""

from __future__ import annotations

from agentcheck.trace.replay import Status

_STATUSES: dict[str, Status] = {
    **dict.fromkeys(("completed", "complete", "success", "succeeded", "ok", "done"), "completed"),
    **dict.fromkeys(("finished", "true"), "completed"),
    **dict.fromkeys(("max_turns", "max_steps", "max_iterations"), "max_turns"),
    **dict.fromkeys(("error", "failed", "failure", "exception", "crashed", "false"), "error"),
    **dict.fromkeys(("interrupted", "cancelled", "canceled", "aborted", "killed"), "interrupted"),
}
_STATES: dict[str, str] = {
    **dict.fromkeys(("requested", "pending", "asked", "waiting"), "requested"),
    **dict.fromkeys(("granted", "approved", "accepted", "allowed", "true", "yes"), "granted"),
    **dict.fromkeys(("denied", "rejected", "refused", "declined", "false", "no"), "denied"),
}


def status_word(said: str | None, own: dict[str, str]) -> Status:
    """How a run ended, by the log's word for it; "unknown" for one that is not explained."""
    if said is None:
        return "unknown"
    told = own.get(said, said.lower().replace("-", "_").replace(" ", "_"))
    return _STATUSES.get(told, "unknown")


def approval_word(said: str, own: dict[str, str]) -> str | None:
    """What came of an approval, by the log's word for it; None for one that is not explained."""
    return _STATES.get(own.get(said, said.lower()))
