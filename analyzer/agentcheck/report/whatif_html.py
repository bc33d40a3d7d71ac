"""Answers to "what if" as one HTML file that loads nothing, in the look of the audit."""

from __future__ import annotations

from agentcheck.model.whatif_report import WhatIf
from agentcheck.report import whatif_words
from agentcheck.report.html import asset, security_policy, templates
from agentcheck.report.options import Options


def page(answers: WhatIf, _: Options) -> str:
    """The answers as a page that stands alone; it needs no script."""
    from markupsafe import Markup

    css = f"{asset('audit.css')}\n{asset('whatif.css')}"
    template = templates().get_template("whatif.html.j2")
    return template.render(
        answers=answers,
        w=whatif_words,
        policy=security_policy([css]),
        css=Markup(css),  # noqa: S704 the project's own files
    )
