"""The rows of the answer about approvals."""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.model.whatif import Column, Row
from agentcheck.trace.mask import excerpt
from agentcheck.whatif.approval.pauses import Pause
from agentcheck.whatif.approval.standing import STATUSES, Standing, Status, answered_by
from agentcheck.whatif.policy.form import Does
from agentcheck.whatif.tally import Tally


class ToolRow:
    """The effects of one tool."""

    def __init__(self, name: str, does: Does) -> None:
        self.name, self._does = name, does
        self._by: dict[Status, int] = dict.fromkeys(STATUSES, 0)
        self._calls = Tally()

    def add(self, one: Standing) -> None:
        """One more of them."""
        self._by[one.status] += 1
        self._calls.add(one.call.source)

    def row(self, shown: Sequence[Status], gates: Sequence[str]) -> Row:
        """The row, with a column for each of these standings."""
        counts = (self._by[status] for status in shown)
        return Row((self.name, self._does, *counts, *gates), *self._calls.basis())


def bare_row(one: Standing, gates: Sequence[str]) -> Row:
    """An effect without an approval of its own, and what was said instead."""
    said = () if one.said is None else (one.said.source,)
    shown = excerpt(f"{one.call.name}({one.call.arguments_raw})", most=160)
    return Row((shown, STATUSES[one.status], *gates), (one.call.source, *said))


def pause_row(pause: Pause) -> Row:
    """A pause: what was asked, what was answered, and what resuming repeats."""
    call, answer = pause.call, pause.answer
    shown = excerpt(f"{call.name}({call.arguments_raw})", most=160) if call else "(not named)"
    done = ", ".join(dict.fromkeys(other.name for other in pause.done)) or "nothing"
    again = ", ".join(dict.fromkeys(other.name for other in pause.repeated)) or "nothing"
    state = "no answer" if answer is None else f"{answer.state} by {answered_by(answer)}"
    cells = (shown, state, pause.waited, pause.tokens, done, again)
    sources = [pause.asked.source, *([answer.source] if answer is not None else [])]
    return Row(cells, tuple(sources))


LOOKS = frozenset({"reads", "handoff", "unknown"})
_SHORT: dict[Status, str] = {
    "approved": "Approved",
    "equal": "Equal one",
    "again": "Once more",
    "other": "Other args",
    "denied": "Denied",
    "unanswered": "Unanswered",
    "late": "Afterwards",
    "unasked": "Unasked",
    "unknown": "Unknown",
}


def column(status: Status) -> Column:
    """The column of a standing."""
    return Column(_SHORT[status], "call", STATUSES[status])


PAUSES = (
    Column("Call"),
    Column("Answer"),
    Column("Waited", "seconds", "from the question to the answer"),
    Column("Tokens again", "token", "of the reply that asked for the call"),
    Column("Done before it"),
    Column("Repeated after it"),
)
CODE = (Column("Place"), Column("Function"), Column("Runs again before it"))
