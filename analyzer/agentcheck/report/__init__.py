"""Reports out: one module a format, imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import msgspec

from agentcheck.model.report import Report
from agentcheck.report.options import Options
from agentcheck.report.output import WriteError, write

__all__ = ["FORMATS", "Options", "WriteError", "render", "write"]

_RENDERERS: dict[str, tuple[str, str]] = {
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
_WITHOUT_ASSESSMENTS = frozenset(FORMATS) - {"json", "markdown", "html"}


def render(report: Report, form: str, **options: Any) -> str:
    """The report in one of FORMATS, ending in a line end, with secrets masked.

    `options` are the fields of Options; one that a format has no use for is ignored there.
    The text can always be encoded as UTF-8. Raises ValueError for an unknown form and
    TypeError for an unknown option.
    """
    if form not in _RENDERERS:
        raise ValueError(f"no report format {form!r}: choose one of {', '.join(FORMATS)}")
    settings = Options(**options)
    module, function = _RENDERERS[form]
    renderer: Callable[[Report, Options], str] = getattr(
        importlib.import_module(f"agentcheck.report.{module}"), function
    )
    if form in _WITHOUT_ASSESSMENTS:  # there may be thousands, and they would be cleaned in vain
        report = msgspec.structs.replace(report, assessments=())
    prepare = importlib.import_module("agentcheck.report.prepare").prepare
    return renderer(prepare(report), settings)
