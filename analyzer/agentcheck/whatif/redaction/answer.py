"""What a redactor would have taken out of each record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentcheck.model.event import (
    Event,
    Message,
    ModelCall,
    Run,
    RunEnd,
    Source,
    ToolCall,
    ToolResult,
)
from agentcheck.model.runs import Open
from agentcheck.model.whatif import Answer, Column, Figure, Row, Table
from agentcheck.whatif.redaction.redactor import PRIORITY, Redactor
from agentcheck.whatif.redaction.text import redacted
from agentcheck.whatif.tally import Tally, share

SHOWN = 40
"""Records that are shown, those with most first."""
_NOTES = (
    (
        "Taken are e-mail addresses, cards, bank accounts and numbers of people whose check digits "
        "fit, telephone numbers, addresses of machines, and keys of known shapes. Names, street "
        "addresses, passports and accounts without check digits are not: a redactor is one layer."
    ),
    (
        "Four numbers joined by points may be a version; where nothing tells, they are taken for "
        "the address of a machine."
    ),
    (
        "A copy written with --redact-to may have more taken out of it: files repeat a history, "
        "and tell things that are no event of a run."
    ),
)


class Taken(NamedTuple):
    """What is taken out of an event: how many values, by kind."""

    event: Event
    kinds: dict[str, int]


def taken_from(run: Run) -> tuple[list[Taken], dict[str, int]]:
    """What a redactor takes out of each event of a run, and how many different values, by kind."""
    texts = list(_texts(run))
    redactor = Redactor()
    for _, text in texts:
        redacted(text, redactor)
    redactor = Redactor(redactor.seen)
    found = []
    for event, text in texts:
        before = dict(redactor.taken)
        redacted(text, redactor)
        kinds = {k: n - before.get(k, 0) for k, n in redactor.taken.items() if n > before.get(k, 0)}
        found.append(Taken(event, kinds))
    return found, redactor.distinct()


def _texts(run: Run) -> Iterator[tuple[Event, str]]:
    """What is said in a run, by event; a system prompt or an output that was told before is not
    told again."""
    told: set[str] = set()
    for event in run.events:
        match event:
            case Message():
                told.add(event.text)
                yield event, event.text
            case ToolCall():
                yield event, event.arguments_raw
            case ToolResult():
                yield event, event.content
            case ModelCall(system_text=str(text)) | RunEnd(output=str(text)) if text not in told:
                told.add(text)
                yield event, text


class Redaction:
    """Takes in runs one by one; see `answer`."""

    def __init__(self) -> None:
        self._runs = self._blind = self._unread = 0
        self._looked, self._hit, self._values = Tally(), Tally(), Tally()
        self._kinds: dict[str, _Kind] = {}
        self._most: list[tuple[int, Source, dict[str, int]]] = []

    def add(self, run: Run) -> None:
        """Take in one run."""
        self._runs += 1
        self._blind += "content" not in run.known
        self._unread += run.unknown_records
        found, distinct = taken_from(run)
        for event, kinds in found:
            self._event(event.source, kinds)
        head = run.events[0].source if run.events else Source(run.file, run.index, 0)
        for kind, number in distinct.items():
            self._kinds[kind].distinct.add(head, number)

    def _event(self, source: Source, kinds: dict[str, int]) -> None:
        self._looked.add(source)
        if not kinds:
            return
        self._hit.add(source)
        self._values.add(source, sum(kinds.values()))
        for kind, number in kinds.items():
            self._kinds.setdefault(kind, _Kind()).values.add(source, number)
        self._most.append((sum(kinds.values()), source, kinds))
        if len(self._most) > 2 * SHOWN:
            self._cut()

    def _cut(self) -> None:
        self._most.sort(key=lambda item: -item[0])
        del self._most[SHOWN:]

    def answer(self) -> Answer:
        """The values that would be taken out, by kind and by record."""
        looked = self._looked.counted("texts", "passage", "messages, arguments and results")
        hit = self._hit.counted(
            "texts with something", "passage", "those of which something is taken"
        )
        values = self._values.summed("values", "value", "stretches taken out of each text")
        part = share("share of texts", hit, looked, "texts with something, of all texts")
        return Answer(
            topic="redaction",
            title="Redaction",
            question="What would a redactor have taken out?",
            runs=self._runs,
            figures=(looked, hit, part, values, *self._by_kind()),
            tables=(self._table(), self._records()) if self._kinds else (),
            notes=_NOTES,
            open=tuple(self._open()),
        )

    def _by_kind(self) -> Iterator[Figure]:
        for kind, tallies in self._ordered():
            yield tallies.values.summed(kind, "value", f"stretches of kind {kind} in each text")

    def _ordered(self) -> list[tuple[str, _Kind]]:
        return [(kind, self._kinds[kind]) for kind in PRIORITY if kind in self._kinds]

    def _table(self) -> Table:
        columns = (
            Column("kind"),
            Column("values", "value"),
            Column("texts", "passage"),
            Column("different in a run", "value"),
        )
        rows = tuple(Row((kind, *tallies.cells(kind))) for kind, tallies in self._ordered())
        return Table("By kind", columns, rows, says="Equal values of a run have one placeholder.")

    def _records(self) -> Table:
        self._cut()
        columns = (
            Column("values", "value", "stretches taken out of the text of the record"),
            Column("kinds"),
        )
        rows = tuple(
            Row((number, _spelt(kinds)), (source,)) for number, source, kinds in self._most
        )
        return Table("Records with most", columns, rows, self._hit.count - len(rows))

    def _open(self) -> Iterator[Open]:
        if self._blind:
            told = f"of {self._blind:,} of {self._runs:,} runs"
            text = f"No texts are recorded {told}: nothing can be found in them."
            yield Open("not-carried", text)
        if self._unread:
            yield Open("not-read", f"{self._unread:,} records could not be read.")


class _Kind:
    """What was found of one kind."""

    def __init__(self) -> None:
        self.values, self.distinct = Tally(), Tally()

    def cells(self, kind: str) -> tuple[Figure, Figure, Figure]:
        return (
            self.values.summed(f"{kind}: values", "value", f"of kind {kind} in each text"),
            self.values.counted(
                f"{kind}: texts", "passage", f"texts with something of kind {kind}"
            ),
            self.distinct.summed(f"{kind}: different", "value", "different values in each run"),
        )


def _spelt(kinds: dict[str, int]) -> str:
    return ", ".join(f"{kinds[kind]} {kind}" for kind in PRIORITY if kind in kinds)
