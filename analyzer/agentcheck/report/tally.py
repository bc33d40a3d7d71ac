"""Assessments per question: what was asked, of how many subjects, and how it stands."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from agentcheck.model.assessment import VERDICTS, Verdict
from agentcheck.model.report import Question, Report, ReportedAssessment
from agentcheck.report.words import plural

# A question stands as the first of these that any of its subjects has.
_GRAVEST: tuple[Verdict, ...] = ("not-met", "partly", "cannot-tell", "met-differently", "met")
_MET: tuple[Verdict, ...] = ("met", "met-differently")


class Row(Struct, frozen=True):
    """A question with its answers; `verdict` is that of the question as a whole.

    `counts` has every verdict; `met`, `unknown` and `failed` (partly and not met) are the answers
    of those verdicts.
    """

    question: Question
    verdict: Verdict
    counts: dict[Verdict, int]
    met: tuple[ReportedAssessment, ...]
    unknown: tuple[ReportedAssessment, ...]
    failed: tuple[ReportedAssessment, ...] = ()


def rows(report: Report) -> tuple[Row, ...]:
    """One row a question, by code; answers to a question the report lacks get one too."""
    asked = {question.rule: question for question in report.questions}
    answers: dict[str, list[ReportedAssessment]] = {rule: [] for rule in asked}
    for item in report.assessments:
        made = Question(item.rule, "", item.topic, item.rule, item.rule)
        asked.setdefault(item.rule, made)
        answers.setdefault(item.rule, []).append(item)
    made_rows = [_row(question, answers[rule]) for rule, question in asked.items()]
    return tuple(sorted(made_rows, key=lambda row: (row.question.code, row.question.rule)))


def standing(made: tuple[Row, ...]) -> str:
    """`129 questions: 12 met (5 of them a different way), 29 partly, ...`."""
    counts = Counter(row.verdict for row in made)
    met = counts["met"] + counts["met-differently"]
    other = counts["met-differently"]
    differently = f" ({other} of them a different way)" if other else ""
    rest = [f"{counts[name]} {name.replace('-', ' ')}" for name in VERDICTS if name not in _MET]
    return f"{plural(len(made), 'question')}: {met} met{differently}, {', '.join(rest)}"


def _row(question: Question, answers: list[ReportedAssessment]) -> Row:
    counts: Counter[Verdict] = Counter(item.verdict for item in answers)
    none: Verdict = "not-applicable"
    verdict = next((name for name in _GRAVEST if counts[name]), none)
    met = tuple(item for item in answers if item.verdict in _MET)
    unknown = tuple(item for item in answers if item.verdict == "cannot-tell")
    failed = tuple(item for item in answers if item.verdict in ("partly", "not-met"))
    return Row(question, verdict, {name: counts[name] for name in VERDICTS}, met, unknown, failed)
