"""Reports made by hand, as a scan would make them: an ordinary one, a clean one, hostile ones."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.report_findings import arguments, claim, edit, loop, set_aside, timeout
from tests.report_parts import QUESTIONS, code, finding, record

from agentcheck.model.assessment import Challenge
from agentcheck.model.finding import Acceptance, Finding, Suppression, TraceVerdict
from agentcheck.model.fix import Fix
from agentcheck.model.report import (
    Profile,
    Question,
    Report,
    ReportedAssessment,
    Skipped,
    Summary,
    Target,
    Tool,
    Workflow,
)

WORKFLOWS = (
    Workflow(
        "main.py",
        "entry",
        "desk/main.py",
        1,
        loops=("desk.loop.answer",),
        agents=("Front desk", "Refunds"),
        tools=("find_order",),
        acts=("issue_refund",),
    ),
    Workflow("Front desk", "agent", "desk/agents.py", 12, tools=("find_order",)),
    Workflow(
        "try_it", "entry", "desk/notes.ipynb", 3, 2, ("desk.loop.answer",), ("Front desk",),
        unresolved=("load_agent()",),
    ),
)  # fmt: skip


def _assessments(findings: tuple[Finding, ...]) -> tuple[ReportedAssessment, ...]:
    faults = tuple(
        ReportedAssessment(f.rule, f.topic, f.subject, "not-met", f.message, f.evidence)
        for f in findings
    )
    fine = code(30, "    for turn in range(8):", "ends after 8 turns")
    ask = ReportedAssessment(
        "unbounded-loop", "unbounded-loop", "desk.plan.draft", "met", "bounded by 8", (fine,)
    )
    return (
        *faults,
        ask,
        msgspec.structs.replace(ask, rule="handoff-race", subject="desk.triage"),
        msgspec.structs.replace(
            ask,
            rule="no-timeout",
            subject="desk.search",
            verdict="cannot-tell",
            why="made elsewhere",
        ),
        msgspec.structs.replace(ask, rule="no-timeout", subject="a", verdict="not-applicable"),
    )


def make(findings: tuple[Finding, ...], **fields: Any) -> Report:
    """A report of these findings over the desk, counted as a scan counts them."""
    shown = [f for f in findings if f.suppressed is None]
    aside = len(findings) - len(shown)
    made: dict[str, Any] = {
        "tool": Tool("agentcheck", "0.1.0"),
        "target": Target(
            "desk",
            ("desk",),
            124,
            31_204,
            ("runs/week.jsonl",),
            12,
            "6f0c2d4be1a9c7735d20",
            repository="https://forge.example/mia/desk",
        ),
        "profile": Profile(
            side_effects="real",
            interaction="interactive",
            form="app",
            tenancy="many",
            frameworks=("openai 1.109", "openai-agents 0.4"),
            agents=9,
            tools=31,
            model_calls=6,
            loops=4,
            horizon="session",
            surface=("money", "change"),
            basis={"side_effects": "POST in desk/tools.py:40", "form": "desk/cli.py has a main"},
        ),
        "questions": QUESTIONS,
        "findings": findings,
        "assessments": _assessments(findings),
        "skipped": (
            Skipped("desk/old.py", "not valid Python: line 3, column 7"),
            Skipped("data/dump.py", "over 5 MB"),
        ),
        "summary": Summary(
            findings=len(shown),
            by_priority=_counts(f.priority for f in shown),
            by_severity=_counts(f.severity for f in shown),
            verdicts={"met": 2, "not-met": len(findings), "cannot-tell": 1, "not-applicable": 1},
            suppressed=aside,
            hidden=11,
            skipped=2,
            seconds=1.84,
            unasked=3,
        ),
        "workflows": WORKFLOWS,
    }
    return Report(**(made | fields))


def _counts(values: Any) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return counts


def ordinary() -> Report:
    """Four findings shown, two set aside, two files skipped, code, notebook and trace evidence."""
    ignored, known = set_aside()
    return make((loop(), arguments(), ignored, claim(), known, timeout()))


def clean() -> Report:
    """Nothing found, nothing hidden, nothing skipped."""
    report = make((), skipped=(), assessments=())
    summary = Summary(0, {}, {}, {}, suppressed=0, hidden=0, skipped=0, seconds=0.4)
    return msgspec.structs.replace(report, summary=summary)


def hostile(text: str) -> Report:
    """The text in every field of finding, assessment, profile and target that is free text."""
    place = code(7, f"x = {text}", text, find="x", file=f"desk/{text}.py", role="primary")
    said = record(text, text, text, file=f"runs/{text}.jsonl", pointer=f"/{text}")
    fields = ("title", "message", "subject", "at_stake", "consequence", "owner")
    free: dict[str, Any] = dict.fromkeys((*fields, "smallest_change", "could_break"), text)
    made = finding(
        1,
        (place, said, code(9, text, text, file="notes/a.ipynb", cell=1)),
        failure_path=(text, f"then {text}"),
        acceptance=Acceptance(text, f"# {text}\nassert True\n"),
        challenge=Challenge("upheld", (text,)),
        trace=TraceVerdict("confirmed", (f"{text}#0/1",)),
        fix=Fix("safe", text, (edit(7, text, text),)),
        owner_file=f"desk/{text}.py",
        **free,
    )
    aside = finding(2, (place,), suppressed=Suppression("ignore", text, text, 3))
    base = make((made, aside))
    profile = msgspec.structs.replace(base.profile, frameworks=(text,), basis={"form": text})
    target = Target(text, (text,), 1, 1, (text,), 1, text, repository=text)
    names = (text, f"{text} too")
    lead = Workflow(text, "entry", f"desk/{text}.py", 1, None, *(names,) * 6)
    question = Question("unbounded-loop", "AC101", "unbounded-loop", text, text)
    met = ReportedAssessment("unbounded-loop", "unbounded-loop", text, "met", text, (place,))
    unknown = msgspec.structs.replace(met, rule="handoff-race", verdict="cannot-tell")
    return msgspec.structs.replace(
        base,
        profile=profile,
        target=target,
        questions=(question, *QUESTIONS[1:]),
        assessments=(met, unknown),
        skipped=(Skipped(text, text),),
        workflows=(lead, msgspec.structs.replace(lead, kind="agent")),
    )


def large(count: int) -> Report:
    """So many findings that a comment cannot hold them."""
    line = code(46, "    while True:", "this loop has no end of its own", role="primary")
    return make(tuple(finding(n, (line,)) for n in range(1, count + 1)))
