"""The answer about approvals: which effects had one, who gave it, what resuming would repeat."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from agentcheck.model.event import Approval, Run
from agentcheck.model.runs import Open
from agentcheck.model.whatif import Answer, Column, Figure, Row, Table
from agentcheck.whatif.approval.in_code import Coded
from agentcheck.whatif.approval.pauses import Pause, pauses
from agentcheck.whatif.approval.rows import (
    CODE,
    LOOKS,
    PAUSES,
    ToolRow,
    bare_row,
    column,
    pause_row,
)
from agentcheck.whatif.approval.standing import (
    STATUSES,
    Standing,
    answered_by,
    standings,
)
from agentcheck.whatif.policy.form import Does
from agentcheck.whatif.policy.judged import does_by_name
from agentcheck.whatif.tally import Tally, share

ROWS, TOOLS = 200, 100
_BLIND = "none of the records carries approvals"
QUICK = 1.0
"""Seconds within which no person reads a question and answers it."""
_BOUND = ("approved", "equal")


class Approvals:
    """Takes in runs; `code` is what the code says, `acting` names the tools that act, if given."""

    def __init__(self, code: Coded | None = None, acting: frozenset[str] | None = None) -> None:
        self._code, self._acting = code, acting
        self._runs = self._silent = 0
        self._by: dict[str, Tally] = {status: Tally() for status in STATUSES}
        self._effects, self._told, self._quick = Tally(), Tally(), Tally()
        self._answers = {who: Tally() for who in ("person", "program", "nobody named")}
        self._waits, self._tokens, self._costs = Tally(), Tally(), Tally()
        self._pauses, self._open = Tally(), Tally()
        self._twice, self._repeated = Tally(), Tally()
        self._tools: dict[str, ToolRow] = {}
        self._bare: list[Row] = []
        self._rows: list[Row] = []

    def add(self, run: Run) -> None:
        """Take in a run."""
        self._runs += 1
        self._silent += "approval" not in run.known
        for one in standings(run, self._judge):
            self._stand(one)
        for said in run.all(Approval):
            if said.state != "requested":
                self._answers[answered_by(said)].add(said.source)
        for pause in pauses(run):
            self._pause(pause)

    def _judge(self, name: str) -> Does:
        if self._acting is not None:
            known = does_by_name(name)
            return ("change" if known in LOOKS else known) if name in self._acting else "reads"
        tool = self._code.tools.get(name) if self._code is not None else None
        return does_by_name(name) if tool is None else tool.does

    def _stand(self, one: Standing) -> None:
        self._effects.add(one.call.source)
        self._by[one.status].add(one.call.source)
        if one.status != "unknown":
            self._told.add(one.call.source)
        name = one.call.name
        known = name if name in self._tools or len(self._tools) < TOOLS else "(all others)"
        self._tools.setdefault(known, ToolRow(known, one.does)).add(one)
        if one.status not in _BOUND and len(self._bare) < ROWS:
            self._bare.append(bare_row(one, self._gates(name)))

    def _gates(self, name: str) -> list[str]:
        """What the code says of a tool's approval; nothing where there is no code."""
        if self._code is None:
            return []
        tool = self._code.tools.get(name)
        if tool is None:
            return ["not found in the code"]
        return [tool.gate or "nothing asks in the code"]

    def _pause(self, pause: Pause) -> None:
        source = pause.asked.source
        self._pauses.add(source)
        if pause.answer is None:
            self._open.add(source)
        elif pause.waited is not None:
            self._waits.add(pause.answer.source, pause.waited)
            if pause.waited < QUICK and answered_by(pause.answer) != "person":
                self._quick.add(pause.answer.source)
        if pause.reply is not None:
            self._tokens.add(pause.reply.source, pause.tokens)
            self._costs.add(pause.reply.source, pause.cost)
        for call in pause.done:
            if self._judge(call.name) not in LOOKS:
                self._twice.add(call.source)
        for call in pause.repeated:
            self._repeated.add(call.source)
        if len(self._rows) < ROWS:
            self._rows.append(pause_row(pause))

    def answer(self) -> Answer:
        """Counts, the effects without an approval of their own, and the pauses."""
        return Answer(
            topic="approval",
            title="Approval",
            question="Which effects were approved before they happened, by whom, and what would "
            "resuming repeat?",
            runs=self._runs,
            figures=tuple(self._figures()),
            tables=tuple(self._tables()),
            settings={"quick answer below seconds": QUICK},
            open=tuple(self._unknown()),
        )

    def _figures(self) -> Iterator[Figure]:
        how = "calls of tools that act, with a result that says so"
        yield self._effects.counted("effects carried out", "call", how)
        told = self._told.counted("of them in records that carry approvals", "call", "")
        yield told
        made = {
            status: self._by[status].counted(words, "call", "")
            for status, words in STATUSES.items()
        }
        if self._silent < self._runs:
            yield from (figure for status, figure in made.items() if status != "unknown")
        elif self._effects.count:
            made["approved"] = replace(made["approved"], value=None, unknown=_BLIND)
            yield made["approved"]
        yield share("share approved before", made["approved"], told, "")
        if self._silent < self._runs:
            yield from self._answered()
            yield from self._resumed()

    def _answered(self) -> Iterator[Figure]:
        for who, tally in self._answers.items():
            told = "by nobody named" if who == "nobody named" else f"by a {who}"
            yield tally.counted(f"answers {told}", "answer", "")
        how = f"answers within {QUICK:g} s of the question, not by a named person"
        yield self._quick.counted("answers faster than a person reads", "answer", how)
        yield self._waits.typical(
            "median wait for an answer",
            "seconds",
            "median",
            "from the question to the answer",
            "no question with an answer has both times",
        )

    def _resumed(self) -> Iterator[Figure]:
        yield self._pauses.counted("pauses", "pause", "requests for an approval")
        yield self._open.counted("pauses without an answer", "pause", "requests nobody answered")
        lacking = "the usage of some of these replies is not recorded"
        how = "of the replies that asked for the calls, were their step begun anew"
        yield self._tokens.summed("tokens that resuming could pay again", "token", how, lacking)
        priced = "the price of some of these replies is not known"
        yield self._costs.summed("cost that resuming could pay again", "usd", how, priced)
        yield self._twice.counted(
            "effects that resuming could do again",
            "call",
            "effects of the same reply that were carried out before the pause",
        )
        yield self._repeated.counted(
            "calls that were repeated on resuming",
            "call",
            "calls carried out after the answer that equal one before, the model not asked again",
        )

    def _tables(self) -> Iterator[Table]:
        tools = sorted(self._tools.values(), key=lambda tool: tool.name)
        shown = [status for status in STATUSES if self._by[status].count]
        last = [Column("In the code")] if self._code is not None else []
        columns = (Column("Tool"), Column("Does"), *map(column, shown), *last)
        rows = tuple(tool.row(shown, self._gates(tool.name)) for tool in tools)
        yield Table("Effects by tool", columns, rows)
        left = sum(self._by[s].count for s in STATUSES if s not in _BOUND) - len(self._bare)
        bare = (Column("Call"), Column("Standing"), *last)
        yield Table("Effects without an approval of theirs before", bare, tuple(self._bare), left)
        paused = self._pauses.count - len(self._rows)
        yield Table("Pauses", PAUSES, tuple(self._rows), paused)
        if self._code is not None and self._code.pauses:
            made = tuple(
                Row((one.place, one.function, "; ".join(one.before) or "nothing"))
                for one in self._code.pauses
            )
            says = "a pause runs its function again from the first line when it is resumed"
            yield Table("Pauses in the code", CODE, made, says=says)

    def _unknown(self) -> Iterator[Open]:
        if self._silent:
            told = f"The formats of {self._silent:,} of {self._runs:,} runs carry no approvals"
            yield Open("not-carried", f"{told}: whether anybody was asked cannot be told.")
        if not self._effects.count:
            yield Open("not-exercised", "No run carries out an effect.")
        if not self._pauses.count and self._silent < self._runs:
            yield Open("not-exercised", "No run waits for an approval.")
