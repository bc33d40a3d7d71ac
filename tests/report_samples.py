"""Reports made by hand, as a scan would make them: an ordinary one, a clean one, hostile ones."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.report_parts import QUESTIONS, code, finding, record

from agentcheck.model.assessment import Challenge
from agentcheck.model.finding import (
    Acceptance,
    Confidences,
    Finding,
    Suppression,
    TraceVerdict,
)
from agentcheck.model.fix import Edit, Fix
from agentcheck.model.location import Span
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


def _loop() -> Finding:
    evidence = (
        code(46, "    while True:", "this loop has no end of its own", role="primary"),
        code(
            48,
            "        reply = client.chat.completions.create(model=self.model, messages=history, "
            "tools=self.tools, temperature=0)",
            "each turn pays for a model call",
            find="client.chat.completions.create",
        ),
        code(12, "MAX_TURNS = None", "the only limit is switched off", find="None"),
        code(
            9,
            "\tanswer(question, history, limit=None)  # 返金 desk",
            "the caller sets none either",
            find="limit=None",
            file="desk/cli.py",
        ),
    )
    test = "def test_the_run_ends():\n    assert run(NeverDone()).turns <= 20\n"
    what = "Set the limit to 20 model calls."
    fix = Fix("unsafe", what, (_edit(12, "MAX_TURNS = None", "20"),))
    return finding(
        1,
        evidence,
        acceptance=Acceptance("The run ends after 20 turns.", test),
        owner="desk.loop.answer",
        owner_file="desk/loop.py",
        fix=fix,
    )


def _edit(line: int, was: str, becomes: str) -> Edit:
    return Edit("replace", "desk/loop.py", Span(line, 1, line, len(was) + 1), was, becomes)


def _arguments() -> Finding:
    evidence = (
        code(
            61,
            "            arguments = json.loads(",
            "a broken string raises here",
            find="json.loads(",
            role="primary",
            end_line=63,
            end_column=14,
        ),
        code(58, "        for call in reply.tool_calls:", "inside the loop of the run"),
        record(
            12,
            '{"order": "A-17", "amount": 12.5',
            "the arguments as recorded: no closing brace",
            pointer="/tool_calls/0/function/arguments",
        ),
    )
    return finding(
        2,
        evidence,
        known_by=("code", "trace"),
        trace=TraceVerdict("confirmed", ("runs/week.jsonl#3/12", "runs/week.jsonl#7/4")),
        confidence=Confidences("high", "high"),
    )


def _claim() -> Finding:
    evidence = (
        record(
            "b7ad6b7169203331",
            "Refund of 12.50 to mia@shop.example is done.\nAnything else?",
            "the run tells the customer that the refund is done",
            role="primary",
        ),
        record("00f067aa0ba902b7", "", "the refund tool returned nothing"),
        code(
            3,
            "refund(order)",
            "the tool that answered",
            file="notes/try it.ipynb",
            cell=2,
        ),
    )
    return finding(
        4,
        evidence,
        priority="investigate-next",
        severity="medium",
        known_by=("trace",),
        challenge=Challenge("weakened", ("a later check of the order",)),
        trace=TraceVerdict("confirmed", ("runs/week.jsonl#3/b7ad6b7169203331",)),
    )


def _timeout() -> Finding:
    text = "        reply = client.chat.completions.create(model=self.model, messages=history)"
    return finding(
        6,
        (
            code(
                48, text, "no timeout given", find="client.chat.completions.create", role="primary"
            ),
        ),
        priority="fix-when",
        severity="low",
        trace=TraceVerdict("not-checkable"),
        fix=Fix(
            "safe",
            "Give the call a time-out of ten minutes.",
            (_edit(48, text, f"{text[:-1]}, 600)"),),
        ),
    )


def _set_aside() -> tuple[Finding, Finding]:
    approval = code(88, "@function_tool", "offered to the model as it is", role="primary")
    race = code(58, "        for call in reply.tool_calls:", "all calls run", role="primary")
    return (
        finding(3, (approval,), suppressed=Suppression("ignore", "a sandbox", "desk/loop.py", 88)),
        finding(5, (race,), suppressed=Suppression("baseline", "known since 2026-10-01")),
    )


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
    ignored, known = _set_aside()
    return make((_loop(), _arguments(), ignored, _claim(), known, _timeout()))


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
        fix=Fix("safe", text, (_edit(7, text, text),)),
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
