"""Golden cases of a policy in each of their formats."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from agentcheck.model.policy_check import PolicyCheck
from agentcheck.report.options import Options
from agentcheck.report.renderers import Renderers, renderer_of
from agentcheck.report.words import plural

_RENDERERS: Renderers = {
    "full": ("policy_cases_terminal", "table"),
    "json": ("policy_cases_pages", "document"),
    "markdown": ("policy_cases_pages", "markdown"),
    "html": ("policy_cases_pages", "html"),
    "junit": ("policy_cases_junit", "suite"),
}
FORMATS: tuple[str, ...] = tuple(_RENDERERS)


def render_cases(check: PolicyCheck, form: str, **options: Any) -> str:
    """The cases in one of FORMATS, ending in a line end, secrets and personal data masked.

    `options` are the fields of Options. Raises ValueError for an unknown form.
    """
    renderer: Callable[[PolicyCheck, Options], str] = renderer_of(_RENDERERS, form, "cases")
    prepare = importlib.import_module("agentcheck.report.prepare").prepare_cases
    return renderer(prepare(check), Options(**options))


def counted(check: PolicyCheck) -> str:
    """`5 cases of cases.yaml: 4 pass, 1 fail`."""
    counts = f"{len(check.cases) - check.failed} pass, {check.failed} fail"
    return f"{plural(len(check.cases), 'case')} of {check.file}: {counts}"
