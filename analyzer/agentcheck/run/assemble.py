"""Everything that was found out -> one Report."""

from __future__ import annotations

from collections.abc import Iterable

from agentcheck import __version__
from agentcheck.crosscheck import Answer
from agentcheck.model.diagram import Diagram
from agentcheck.model.report import (
    Profile,
    Question,
    Report,
    ReportedAssessment,
    Target,
    Tool,
)
from agentcheck.rule import Rule
from agentcheck.run.ask import Asker
from agentcheck.run.code import Code
from agentcheck.run.commit import commit_of
from agentcheck.run.findings import Findings, with_acceptance
from agentcheck.run.request import Request
from agentcheck.run.summary import summarise
from agentcheck.run.traces import Replayed


def assemble(
    request: Request,
    asker: Asker,
    code: Code,
    traced: Replayed,
    answers: Iterable[Answer],
    profile: Profile,
    findings: Findings,
    seconds: float,
) -> Report:
    """The report; `answers` are those about code, `seconds` what the work took."""
    assessments = tuple(_reported(a) for a in (*answers, *traced.said.answers))
    skipped = tuple(sorted((*code.skipped, *traced.skipped, *asker.failed.values())))
    return Report(
        tool=Tool("agentcheck", __version__),
        target=_target(request, code, traced.said.runs),
        profile=profile,
        questions=tuple(_question(rule) for rule in asker.rules),
        findings=tuple(with_acceptance(f, tests=request.tests) for f in findings.shown),
        assessments=assessments,
        skipped=skipped,
        summary=summarise(findings, assessments, skipped, seconds),
        graph=_drawn(code) if request.drawn else None,
    )


def _drawn(code: Code) -> Diagram | None:
    if code.graph is None:
        return None
    from agentcheck.graph.diagram import draw

    return draw(code.graph, code.root.resolve().name or "target")


def _target(request: Request, code: Code, runs: int) -> Target:
    return Target(
        root=code.root.name,
        paths=request.paths,
        files=len(code.files),
        lines=sum(len(file.lines) for file in code.files),
        traces=request.traces,
        runs=runs,
        commit=commit_of(code.root) if request.paths else None,
    )


def _question(rule: Rule) -> Question:
    card = rule.card
    return Question(
        rule=rule.name,
        code=card.code,
        topic=card.topic,
        title=card.title,
        question=card.question,
        severity=card.severity,
        confidence=card.confidence,
        tags=card.tags,
    )


def _reported(answer: Answer) -> ReportedAssessment:
    said = answer.assessment
    return ReportedAssessment(
        answer.rule.name, answer.topic, said.subject, said.verdict, said.why, said.evidence
    )
