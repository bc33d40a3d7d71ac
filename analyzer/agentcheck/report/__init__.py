"""Reports out: one module a format, imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from agentcheck.model.finding import Finding
from agentcheck.model.report import Question, Report
from agentcheck.report.options import Options
from agentcheck.report.output import WriteError, write
from agentcheck.report.renderers import Renderers, renderer_of

__all__ = ["FORMATS", "WITH_TESTS", "Options", "WriteError", "render", "write"]

_RENDERERS: Renderers = {
    "full": ("terminal", "full"),
    "concise": ("terminal", "concise"),
    "json": ("json", "document"),
    "jsonl": ("json", "lines"),
    "markdown": ("markdown", "audit"),
    "html": ("html", "page"),
    "sarif": ("sarif", "log"),
    "github": ("github", "commands"),
    "gitlab": ("gitlab", "issues"),
    "junit": ("junit", "suites"),
}
FORMATS: tuple[str, ...] = tuple(_RENDERERS)
# Parts of a report, for whoever asks for them alone.
_PARTS: Renderers = {
    "runs": ("terminal_runs", "summary"),
    "what-if": ("whatif_terminal", "part"),
    "cases": ("terminal_cases", "table"),
    "junit-cases": ("junit_cases", "suite"),
}
_WITH_ASSESSMENTS = frozenset({"json", "markdown", "html"})
_COUNTING_QUESTIONS = frozenset({"full", "concise", "github", "gitlab"})
"""The formats that say at most how many questions were asked."""
WITH_TESTS = _WITH_ASSESSMENTS | {"jsonl"}
"""The formats that show the source of acceptance tests."""

_QUESTION = Question(rule="", code="", topic="", title="", question="")


def render(report: Report, form: str, **options: Any) -> str:
    """The report in one of FORMATS, ending in a line end, with secrets masked.

    "runs", "what-if", "cases" and "junit-cases" give these parts of it alone, empty where it has
    none.

    `options` are the fields of Options; one that a format has no use for is ignored there.
    The text can always be encoded as UTF-8. Raises ValueError for an unknown form and
    TypeError for an unknown option.
    """
    renderer: Callable[[Report, Options], str] = renderer_of(
        _PARTS if form in _PARTS else _RENDERERS, form, "a report"
    )
    settings = Options(**options)
    module = importlib.import_module("agentcheck.report.prepare")
    prepare = module.prepare_lines if form == "concise" else module.prepare
    return renderer(prepare(_of_use(report, form)), settings)


def _of_use(report: Report, form: str) -> Report:
    """The report without what a format does not show: there may be much, cleaned in vain."""
    if form not in _WITH_ASSESSMENTS:
        report = replace(report, assessments=())
    if form not in WITH_TESTS and form != "concise":  # which has no test to begin with
        report = replace(report, findings=tuple(map(_without_test, report.findings)))
    if form in _COUNTING_QUESTIONS:
        report = replace(report, questions=(_QUESTION,) * len(report.questions))
    return report


def _without_test(finding: Finding) -> Finding:
    return replace(finding, acceptance=replace(finding.acceptance, test=None))
