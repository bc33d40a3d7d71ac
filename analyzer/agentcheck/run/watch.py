"""What else is taken from runs as they pass: a summary, how golden cases came out, what if."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agentcheck.config import Settings
from agentcheck.model.assessment import TraceEvidence
from agentcheck.model.event import Run
from agentcheck.model.pattern import lazy_re
from agentcheck.model.report import Question, Report, ReportedAssessment
from agentcheck.model.runs import Open
from agentcheck.rule import AgentGraph, Rule
from agentcheck.run.request import Request

if TYPE_CHECKING:
    from agentcheck.expect import Judge
    from agentcheck.trace.glance import Glance
    from agentcheck.whatif import Asks

_MORE = lazy_re(r" \(and \d+ more runs?\)")
_TOLD = frozenset({"met", "met-differently", "partly", "not-met"})


class Watch:
    """Sees every run once. Raises UsageError for a bad file of cases, before any run is read."""

    def __init__(self, request: Request, settings: Settings) -> None:
        self._judge = _judge(request.expect)
        self._glance = _glance(settings.trace.min_repeats) if request.glance else None
        self._settings = settings if request.what_if else None
        self._asks: list[Asks] = []

    def know(self, graph: AgentGraph | None) -> None:
        """What the code shows, before any run is read."""
        if self._settings is not None:
            from agentcheck.run.whatif_all import every_question

            self._asks = every_question(self._settings, graph)

    @property
    def sees(self) -> bool:
        """Whether anything is taken from runs."""
        return self._judge is not None or self._glance is not None or bool(self._asks)

    def add(self, run: Run) -> None:
        """Take in a run."""
        if self._judge is not None:
            self._judge.add(run)
        if self._glance is not None:
            self._glance.add(run)
        for one in self._asks:
            one.add(run)

    def told(self, report: Report, rules: Iterable[Rule]) -> Report:
        """The report with what was seen."""
        if self._judge is not None:
            report = replace(report, expectations=self._judge.outcome())
        if self._asks and report.target.runs:
            report = replace(report, what_if=tuple(one.answer() for one in self._asks))
        if self._glance is not None and report.target.runs:
            more = (*_unread(report), *_unanswered(report, rules))
            report = replace(report, runs=self._glance.seen(more))
        return report


def _judge(path: str | None) -> Judge | None:
    if path is None:
        return None
    from agentcheck.expect import Judge, load_cases

    return Judge(load_cases(path), path)


def _glance(min_repeats: int) -> Glance:
    from agentcheck.trace.glance import Glance

    return Glance(min_repeats)


def _unread(report: Report) -> Iterator[Open]:
    """What of the files could not be read at all."""
    read = {PurePath(path).name for path in report.target.traces}
    lost = [item for item in report.skipped if PurePath(item.file).name in read]
    if lost:
        count = "A part" if len(lost) == 1 else f"{len(lost):,} parts"
        text = f"{count} of the files could not be read; the first: {lost[0].why}"
        yield Open("not-read", text)


def _unanswered(report: Report, rules: Iterable[Rule]) -> Iterator[Open]:
    """The questions about runs that none of these runs answers."""
    answers: dict[str, list[ReportedAssessment]] = {}
    for given in report.assessments:
        if any(isinstance(item, TraceEvidence) for item in given.evidence):
            answers.setdefault(given.rule, []).append(given)
    asked = {question.rule: question for question in report.questions}
    for rule in rules:
        if rule.check_run is not None and rule.name in asked:
            yield from _left_open(asked[rule.name], answers.get(rule.name, []))


def _left_open(question: Question, given: list[ReportedAssessment]) -> Iterator[Open]:
    verdicts = {answer.verdict for answer in given}
    if verdicts & _TOLD:
        return
    head = f"{question.code}, {question.question}"
    blind = next((answer for answer in given if answer.verdict == "cannot-tell"), None)
    if blind is not None:
        yield Open("not-carried", f"{head} {_MORE.sub('', blind.why)}")
    else:
        why = given[0].why if given else "No run came to it."
        yield Open("not-exercised", f"{head} {_MORE.sub('', why)}")
