"""Findings made by hand, with code, notebook and trace evidence, as rules would make them."""

from __future__ import annotations

from tests.report_parts import code, finding, record

from agentcheck.model.assessment import Challenge
from agentcheck.model.finding import Acceptance, Confidences, Finding, Suppression, TraceVerdict
from agentcheck.model.fix import Edit, Fix
from agentcheck.model.location import Span


def loop() -> Finding:
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
    fix = Fix("unsafe", what, (edit(12, "MAX_TURNS = None", "20"),))
    return finding(
        1,
        evidence,
        acceptance=Acceptance("The run ends after 20 turns.", test),
        owner="desk.loop.answer",
        owner_file="desk/loop.py",
        fix=fix,
    )


def edit(line: int, was: str, becomes: str) -> Edit:
    return Edit("replace", "desk/loop.py", Span(line, 1, line, len(was) + 1), was, becomes)


def arguments() -> Finding:
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


def claim() -> Finding:
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


def timeout() -> Finding:
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
            (edit(48, text, f"{text[:-1]}, 600)"),),
        ),
    )


def set_aside() -> tuple[Finding, Finding]:
    approval = code(88, "@function_tool", "offered to the model as it is", role="primary")
    race = code(58, "        for call in reply.tool_calls:", "all calls run", role="primary")
    return (
        finding(3, (approval,), suppressed=Suppression("ignore", "a sandbox", "desk/loop.py", 88)),
        finding(5, (race,), suppressed=Suppression("baseline", "known since 2026-10-01")),
    )
