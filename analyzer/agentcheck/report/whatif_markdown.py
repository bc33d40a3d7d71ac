"""Answers to "what if" as Markdown."""

from __future__ import annotations

from typing import Any

from agentcheck.model.whatif_report import WhatIf
from agentcheck.report import whatif_words
from agentcheck.report.markdown_templates import environment
from agentcheck.report.options import Options


def page(answers: WhatIf, options: Options) -> str:
    """All answers. Tables are cut to their first rows, which is said where it is done."""
    template = environment(options).get_template("whatif.md.j2")
    return template.render(answers=answers, w=whatif_words)


def parts(options: Options) -> Any:
    """The macros that a page of another kind shows answers with."""
    return environment(options).get_template("whatif_parts.md.j2").module
