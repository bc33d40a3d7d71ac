"""What reports made by hand are put together from: places, findings, and hostile texts."""

from __future__ import annotations

from typing import Any

from agentcheck.model.assessment import Challenge, CodeEvidence, Evidence, TraceEvidence
from agentcheck.model.finding import (
    Acceptance,
    Confidences,
    Finding,
    TraceVerdict,
)
from agentcheck.model.report import (
    Question,
)

HOSTILE = (
    "</script><script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "[click](javascript:alert(1)) ![x](https://evil.example/p.png)",
    "```\n# Owned\n````\n<b>bold</b>",
    "`` ` ``` unbalanced ` ticks",
    "| a | b |\n|---|---|\n| c | d |",
    "# heading\n\n---\n\n1. one\n> quote\n+ plus\n===",
    "\x1b[31mred\x1b[0m\x1b]8;;https://evil.example\x07link\x1b]8;;\x07\x9b2J",
    "\u202egnp.exe\u2066 \u200b\ufeff\U000e0041\U000e0042",
    "::error file=a::owned\r\n::set-output name=x::y%0A%25",
    "{{ 7 * 7 }} {% raw %} {# c #} ${{ github.token }}",
    "<!-- agentcheck --> --> ]]> <![CDATA[ <?php",
    "@octocat see #1 and https://evil.example www.evil.example a@evil.example",
    "*bold* _em_ ~~gone~~ $x^2$ [^1] [ref] &lt;i&gt; \\[ \\` <https://evil.example>",
    "\x00\x01\x7f\x85\u2028\u2029 end",
    "\udc80 no utf-8 \ud800",
    "日本語のプロンプト 👩‍👩‍👧 e\u0301 \ttab",
    "",
    "   ",
    "\\",
)
"""Texts that drive terminals, Markdown, HTML, templates, workflow commands or encoders."""

QUESTIONS = (
    Question(
        "unbounded-loop",
        "AC101",
        "unbounded-loop",
        "Agent loop without an upper bound",
        "Is every loop that calls a model bounded?",
    ),
    Question(
        "tool-args-unguarded",
        "AC301",
        "tool-args-unguarded",
        "Malformed tool arguments end the run",
        "Are the arguments of a tool call parsed with a guard?",
    ),
    Question(
        "unguarded-side-effect",
        "AC401",
        "unguarded-side-effect",
        "A tool with real effects runs unasked",
        "Does every tool with side effects wait for an approval?",
        "high",
        "medium",
        ("security", "approval"),
    ),
    Question(
        "unbacked-success-claim",
        "AC305",
        "unbacked-success-claim",
        "A tool reports a success that it did not check",
        "Is every success that a tool reports backed by what happened?",
    ),
    Question(
        "handoff-race",
        "AC501",
        "handoff-race",
        "Two handoffs in one reply race",
        "Is there one decision when a reply holds several handoffs?",
    ),
    Question(
        "no-timeout",
        "AC104",
        "no-timeout",
        "Model call without a timeout",
        "Does every model call end after a set time?",
    ),
)


def code(line: int, text: str, says: str, find: str = "", **fields: Any) -> CodeEvidence:
    """Evidence on the part `find` of a line of desk/loop.py, the whole text without one."""
    part = find or text.strip()
    column = text.index(part) + 1 if part in text else 1
    made: dict[str, Any] = {
        "role": "related",
        "file": "desk/loop.py",
        "line": line,
        "end_line": line,
        "column": column,
        "end_column": column + len(part),
        "text": text,
        "says": says,
    }
    return CodeEvidence(**(made | fields))


def record(record: int | str, text: str, says: str, **fields: Any) -> TraceEvidence:
    """Evidence in run 3 of runs/week.jsonl."""
    made: dict[str, Any] = {
        "role": "related",
        "file": "runs/week.jsonl",
        "run": 3,
        "record": record,
        "pointer": "",
        "text": text,
        "says": says,
    }
    return TraceEvidence(**(made | fields))


def finding(number: int, evidence: tuple[Evidence, ...], **fields: Any) -> Finding:
    """A finding of the question `number` (from 1), whole."""
    asked = QUESTIONS[(number - 1) % len(QUESTIONS)]
    made: dict[str, Any] = {
        "id": f"F{number}",
        "rule": asked.rule,
        "code": asked.code,
        "topic": asked.topic,
        "priority": "fix-now",
        "severity": "high",
        "title": asked.title,
        "message": f"`desk.loop.answer` is the place of case {number}.",
        "subject": "desk.loop.answer",
        "at_stake": "The money and the time of every run that comes here.",
        "failure_path": ("A customer asks.", "The model never settles.", "Nothing stops it."),
        "consequence": "One stuck run spends until somebody notices.",
        "evidence": evidence,
        "owner": "`desk.loop.answer`",
        "smallest_change": "Count the turns and raise `TurnLimit` after the last.",
        "could_break": "Long jobs that need more turns end with an error.",
        "acceptance": Acceptance("With a model that never settles the run ends by itself."),
        "known_by": ("code",),
        "confidence": Confidences("high", "medium"),
        "challenge": Challenge("upheld", ("a limit at each call site", "an `input()` in the loop")),
        "trace": TraceVerdict("no-runs"),
        "fingerprint": f"{number:016x}",
    }
    return Finding(**(made | fields))
