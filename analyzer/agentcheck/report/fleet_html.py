"""The index of a fleet as one HTML file that loads nothing, in the look of the audit."""

from __future__ import annotations

from agentcheck.model.fleet import Fleet
from agentcheck.report import fleet_words
from agentcheck.report.html import asset, security_policy, templates
from agentcheck.report.options import Options


def page(fleet: Fleet, _: Options) -> str:
    """The index; it needs no script, and leads to the audits beside it."""
    from markupsafe import Markup

    css = f"{asset('audit.css')}\n{asset('fleet.css')}"
    template = templates().get_template("fleet.html.j2")
    return template.render(
        fleet=fleet,
        w=fleet_words,
        policy=security_policy([css]),
        css=Markup(css),  # noqa: S704 the project's own files
    )
