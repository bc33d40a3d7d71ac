"""What a policy would have decided about every recorded call."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from agentcheck.model.event import Run, Source, ToolCall
from agentcheck.model.runs import Open
from agentcheck.model.whatif import Answer, Cell, Column, Figure, Row, Table
from agentcheck.trace.mask import excerpt
from agentcheck.whatif.policy.decide import Call, Decision, Policy
from agentcheck.whatif.policy.provenance import History
from agentcheck.whatif.tally import Tally, share

CALLS, STOPPED, TOOLS = 1_000, 200, 100
"""How many rows the tables have."""
_FREE = frozenset({"reads", "handoff"})


class Decided(Struct, frozen=True):
    """A recorded call with what the policy decides about it. `carried_out` says whether the record
    holds a result of it, None where it does not tell."""

    call: ToolCall
    source: Source
    run_id: str
    decision: Decision
    carried_out: bool | None


class Replay:
    """Asks a policy about every call of the runs, one run at a time; keeps counts and first rows.

    `each` is told of every call, for whoever wants more than the first.
    """

    def __init__(
        self,
        policy: Policy,
        name: str,
        tenant: str | None = None,
        each: Callable[[Decided], None] | None = None,
    ) -> None:
        self.policy, self._name, self._tenant = policy, name, tenant
        self._each = each
        self._runs = self._silent = self._stopped_runs = 0
        names = ("all", "approve", "human", "reject", "effects", "unasked", "done", "blind")
        self._sums = {name: Tally() for name in names}
        self._tools: dict[str, _Tool] = {}
        self._rules: dict[tuple[str, str], Tally] = {}
        self._rows: list[Row] = []
        self._bad: list[Row] = []

    def add(self, run: Run) -> None:
        """Take in a run."""
        self._runs += 1
        self._silent += not {"content", "results"} <= run.known
        for one in decided(run, self.policy, self._tenant):
            self._count(one)
            if self._each is not None:
                self._each(one)

    def _count(self, one: Decided) -> None:
        outcome = one.decision.outcome
        self._sums["all"].add(one.source)
        self._sums[outcome].add(one.source)
        if self.policy.does(one.call.name) not in _FREE:
            self._sums["effects"].add(one.source)
            if outcome == "approve":
                self._sums["unasked"].add(one.source)
        if outcome == "reject" and one.carried_out:
            self._sums["done"].add(one.source)
        if any("cannot be evaluated" in reason.text for reason in one.decision.reasons):
            self._sums["blind"].add(one.source)
        for reason in one.decision.reasons:
            self._rules.setdefault((reason.rule, reason.outcome), Tally()).add(one.source)
        self._tool(one.call.name).add(one)
        if len(self._rows) < CALLS:
            self._rows.append(_row(one))
        if outcome != "approve" and len(self._bad) < STOPPED:
            self._bad.append(_row(one))

    def _tool(self, name: str) -> _Tool:
        known = name if name in self._tools or len(self._tools) < TOOLS else "(all others)"
        return self._tools.setdefault(known, _Tool(known, self.policy.does(known)))

    def answer(self) -> Answer:
        """The decisions, counted, and the first of the calls."""
        form = self.policy.form
        return Answer(
            topic="policy",
            title="Policy",
            question=f"What would {self._name} have decided about every recorded call?",
            runs=self._runs,
            figures=tuple(self._figures()),
            tables=tuple(self._tables()),
            settings={"threshold": form.threshold, "tenant": self._tenant or "none given"},
            notes=tuple(self._notes()),
            open=tuple(self._open()),
        )

    def _figures(self) -> Iterator[Figure]:
        made = {key: self._sums[key].counted(*words) for key, words in _FIGURES.items()}
        whole, effects = made["all"], made["effects"]
        yield whole
        for key in ("approve", "human", "reject"):
            yield made[key]
        yield share("share asked about", made["human"], whole, "")
        yield share("share rejected", made["reject"], whole, "")
        yield effects
        yield made["unasked"]
        yield share("share of effects that pass unasked", made["unasked"], effects, "")
        yield made["done"]
        if made["blind"].value:
            yield made["blind"]

    def _tables(self) -> Iterator[Table]:
        tools = sorted(self._tools.values(), key=lambda tool: (-tool.worst, tool.name))
        yield Table("By tool", _TOOL_COLUMNS, tuple(tool.row() for tool in tools))
        rules = sorted(self._rules.items(), key=lambda item: -item[1].count)
        rows = tuple(
            Row((rule, outcome, tally.count), *tally.basis()) for (rule, outcome), tally in rules
        )
        yield Table("Rules that failed", _RULE_COLUMNS, rows)
        bad = self._sums["human"].count + self._sums["reject"].count
        yield Table(
            "Calls that it would have stopped or asked about",
            _CALL_COLUMNS,
            tuple(self._bad),
            bad - len(self._bad),
        )
        left = self._sums["all"].count - len(self._rows)
        yield Table("Every call", _CALL_COLUMNS, tuple(self._rows), left)

    def _notes(self) -> Iterator[str]:
        if self.policy.form.tenants and self._tenant is None:
            yield "The policy has rules for tenants; none was given, so they were not asked."

    def _open(self) -> Iterator[Open]:
        if self._silent:
            told = f"of {self._silent:,} of {self._runs:,} runs"
            lacking = "Texts, arguments or results are not recorded"
            yield Open(
                "not-carried", f"{lacking} {told}: where arguments come from cannot be told."
            )
        if not self._sums["all"].count:
            yield Open("not-exercised", "No run calls a tool.")


class _Tool:
    """The calls of one tool."""

    def __init__(self, name: str, does: str) -> None:
        self.name, self._does = name, does
        self._by = {"approve": 0, "human": 0, "reject": 0}
        self._calls, self._score = Tally(), 0

    def add(self, one: Decided) -> None:
        self._by[one.decision.outcome] += 1
        self._calls.add(one.source)
        self._score = max(self._score, one.decision.score)

    @property
    def worst(self) -> int:
        return self._by["reject"] * 1_000_000 + self._by["human"]

    def row(self) -> Row:
        cells: tuple[Cell, ...] = (self.name, self._does, self._calls.count, *self._by.values())
        return Row((*cells, self._score), *self._calls.basis())


def decided(run: Run, policy: Policy, tenant: str | None = None) -> Iterator[Decided]:
    """What a policy decides about each call of a run, in order."""
    history = History(run)
    for call in run.all(ToolCall):
        asked = Call(
            tool=call.name,
            arguments=call.arguments,
            raw=call.arguments_raw,
            agent=call.agent or "",
            tenant=tenant,
            texts=history.before(call),
        )
        answer = run.answers.get(call.call_key)
        done = answer is not None if "results" in run.known else None
        yield Decided(call, call.source, run.id, policy.decide(asked), done)


def _row(one: Decided) -> Row:
    call = one.call
    why = "; ".join(f"{reason.rule}: {reason.text}" for reason in one.decision.reasons)
    shown = excerpt(f"{call.name}({call.arguments_raw})", most=160)
    cells = (shown, one.decision.outcome, one.decision.score, excerpt(why, most=240))
    return Row(cells, (one.source,))


_FIGURES = {
    "all": ("calls", "call", "every recorded call of a tool"),
    "approve": ("calls approved", "call", "calls that no rule holds back"),
    "human": ("calls asked about", "call", "calls that a person would have been asked about"),
    "reject": ("calls rejected", "call", "calls that would not have been carried out"),
    "effects": ("effects", "call", "calls of tools that do more than read or hand over"),
    "unasked": ("effects that pass unasked", "call", "effects that are approved"),
    "done": ("rejected and carried out", "call", "rejected calls that have a recorded result"),
    "blind": (
        "rules not evaluated",
        "call",
        "calls on which a rule could not be evaluated, so that a person is asked",
    ),
}
_TOOL_COLUMNS = (
    Column("Tool"),
    Column("Does"),
    Column("Calls", "call", "all calls of the tool"),
    Column("Approved", "call", "calls decided approve"),
    Column("Asked", "call", "calls decided human"),
    Column("Rejected", "call", "calls decided reject"),
    Column("Highest score", "points", "the highest risk score among the calls"),
)
_RULE_COLUMNS = (Column("Rule"), Column("So"), Column("Calls", "call", "calls that fail it"))
_CALL_COLUMNS = (
    Column("Call"),
    Column("Decision"),
    Column("Score", "points", "the weights of the rules that fail, 100 at most"),
    Column("Why"),
)
