"""Everything that was found out -> one Report."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agentcheck import __version__
from agentcheck.config import Settings
from agentcheck.crosscheck import Answer
from agentcheck.model.report import (
    Compared,
    Note,
    Profile,
    Question,
    Report,
    ReportedAssessment,
    Skipped,
    Target,
    Tool,
)
from agentcheck.rule import Rule
from agentcheck.run.ask import Asker
from agentcheck.run.comments import notes_on
from agentcheck.run.commit import commit_of
from agentcheck.run.examined import Examined
from agentcheck.run.findings import Findings, Lens, with_acceptance
from agentcheck.run.owner import with_owner_files
from agentcheck.run.reading import Code
from agentcheck.run.remote import repository_of
from agentcheck.run.request import Request
from agentcheck.run.select import configured
from agentcheck.run.summary import summarise
from agentcheck.run.traces import Replayed


def assemble(
    request: Request,
    asker: Asker,
    found: Examined,
    traced: Replayed,
    profile: Profile,
    findings: Findings,
    lens: Lens,
    settings: Settings,
) -> Report:
    """The report of what was found in code and in runs."""
    code = found.code
    assessments = tuple(_reported(a) for a in (*found.answers, *traced.said.answers))
    skipped = tuple(sorted((*code.skipped, *traced.skipped, *asker.failed.values())))
    compared = _compared(findings, lens, asker, skipped)
    return Report(
        tool=Tool("agentcheck", __version__),
        target=_target(request, code, traced.said.runs),
        profile=profile,
        questions=tuple(_question(rule, settings) for rule in asker.rules),
        findings=tuple(
            with_acceptance(f, found.staged) for f in with_owner_files(findings.shown, found.owners)
        ),
        assessments=assessments,
        skipped=skipped,
        summary=summarise(
            findings, assessments, skipped, compared, len(lens.known) - len(asker.rules)
        ),
        asked=lens.focus.told([f for f in findings.shown if f.suppressed is None]),
        notes=_notes(request, asker, lens, settings),
        workflows=found.workflows,
        graph=found.drawn,
    )


def _compared(
    findings: Findings, lens: Lens, asker: Asker, skipped: Iterable[Skipped]
) -> Compared | None:
    if lens.baseline is None:
        return None
    new = sum(1 for finding in findings.shown if finding.suppressed is None)
    rules = {rule.name for rule in asker.rules}
    return lens.baseline.compared(findings.names, new, rules, {one.file for one in skipped})


def _notes(request: Request, asker: Asker, lens: Lens, settings: Settings) -> tuple[Note, ...]:
    """Notes on comments; what is unused can be told only where folders were read whole."""
    whole = request.stdin is None and not request.runs_only
    whole = whole and all(Path(path).is_dir() for path in request.paths)
    judged = [r for r in asker.rules if whole and r.name not in asker.failed]
    return notes_on(lens.suppressor.comments, lens.known, judged, settings.persona)


def _target(request: Request, code: Code, runs: int) -> Target:
    return Target(
        root=code.root.name,
        paths=request.paths,
        files=len(code.files),
        lines=sum(file.lines for file in code.files),
        tests=len(code.tests),
        traces=request.traces,
        runs=runs,
        commit=commit_of(code.root) if request.paths else None,
        since=request.since,
        repository=repository_of(code.root) if request.paths else None,
    )


def _question(rule: Rule, settings: Settings) -> Question:
    card = rule.card
    return Question(
        rule=rule.name,
        code=card.code,
        topic=card.topic,
        title=card.title,
        question=card.question,
        severity=configured(rule, settings.severity) or card.severity,
        confidence=card.confidence,
        tags=card.tags,
    )


def _reported(answer: Answer) -> ReportedAssessment:
    said = answer.assessment
    return ReportedAssessment(
        answer.rule.name, answer.topic, said.subject, said.verdict, said.why, said.evidence
    )
