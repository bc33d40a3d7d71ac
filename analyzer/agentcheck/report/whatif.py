"""Answers to "what if" in each of their formats."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from agentcheck.model.whatif_report import WhatIf
from agentcheck.report.options import Options
from agentcheck.report.renderers import Renderers, renderer_of

_RENDERERS: Renderers = {
    "full": ("whatif_terminal", "page"),
    "json": ("whatif_json", "document"),
    "markdown": ("whatif_markdown", "page"),
    "html": ("whatif_html", "page"),
}
FORMATS: tuple[str, ...] = tuple(_RENDERERS)


def render_answers(answers: WhatIf, form: str, **options: Any) -> str:
    """The answers in one of FORMATS, ending in a line end, secrets and personal data masked.

    `options` are the fields of Options. Raises ValueError for an unknown form.
    """
    renderer: Callable[[WhatIf, Options], str] = renderer_of(_RENDERERS, form, "answers")
    prepare = importlib.import_module("agentcheck.report.prepare").prepare_answers
    return renderer(prepare(answers), Options(**options))
