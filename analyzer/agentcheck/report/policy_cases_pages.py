"""Golden cases of a policy as JSON, Markdown and one HTML file that loads nothing."""

from __future__ import annotations

from agentcheck.model.policy_check import PolicyCheck
from agentcheck.report.html import asset, security_policy, templates
from agentcheck.report.markdown_templates import environment
from agentcheck.report.options import Options
from agentcheck.report.plain_json import model_text
from agentcheck.report.policy_cases import counted


def document(check: PolicyCheck, options: Options) -> str:
    """All cases as one JSON object (schema `agentcheck/policy-check/1`)."""
    return model_text(check, options)


def markdown(check: PolicyCheck, options: Options) -> str:
    """A table of the cases."""
    template = environment(options).get_template("policy_cases.md.j2")
    return template.render(check=check, counted=counted(check))


def html(check: PolicyCheck, _: Options) -> str:
    """The cases as a page that stands alone; it needs no script."""
    from markupsafe import Markup

    css = f"{asset('audit.css')}\n{asset('runs.css')}"
    return (
        templates()
        .get_template("policy_cases.html.j2")
        .render(
            check=check,
            counted=counted(check),
            policy=security_policy([css]),
            css=Markup(css),  # noqa: S704 the project's own files
        )
    )
