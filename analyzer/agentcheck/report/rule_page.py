"""The page of one rule, and the list of all, as Markdown: for `agentcheck rule` and for docs/."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from typing import TYPE_CHECKING

from agentcheck.report.markdown_templates import environment
from agentcheck.report.options import Options
from agentcheck.rule.examples import Example
from agentcheck.rule.options import described

if TYPE_CHECKING:
    from agentcheck.rule import Rule

_FAMILIES = {
    "limits": "Limits: does everything end",
    "replies": "Replies: is what the model answers looked at",
    "tools": "Tools: does a call do what it says, and no more",
    "approval": "Approval: who said yes",
    "handoffs": "Handoffs: who answers next",
    "context": "Context: what the model is shown",
    "guards": "Guards: does the fence hold",
    "records": "Records: can a run be told afterwards",
    "assurance": "Assurance: would a test notice",
}


def rule_page(rule: Rule, examples: Sequence[Example]) -> str:
    """All that a rule says of itself, and the code or runs that it is tested on."""
    from markupsafe import Markup

    template = environment(Options()).get_template("rule.md.j2")
    return template.render(
        rule=rule,
        card=rule.card,
        witnesses=witnesses(rule),
        # The docstring is the project's own Markdown.
        manual=Markup(_manual(rule.doc)),  # noqa: S704
        examples=examples,
        options=described(rule.options) if rule.options else {},
    )


def rule_index(rules: Sequence[Rule]) -> str:
    """All rules by family, each linked to its page `rules/<name>.md`."""
    lines = [
        "# Rules",
        "",
        f"{len(rules)} rules. Generated from the rules' cards by `docs/build.py`.",
        "",
    ]
    for family in dict.fromkeys(rule.family for rule in rules):
        lines += [f"## {_FAMILIES.get(family, family)}", ""]
        lines += ["| Code | Rule | Asked of | Severity | Shown to | What is wrong |"]
        lines += ["|---|---|---|---|---|---|"]
        lines += [_row(rule) for rule in rules if rule.family == family]
        lines.append("")
    return "\n".join(lines)


def witnesses(rule: Rule) -> str:
    """ "code", "runs", or "code and runs"."""
    names = [name for name, ask in (("code", rule.check), ("runs", rule.check_run)) if ask]
    return " and ".join(names)


def _row(rule: Rule) -> str:
    card = rule.card
    link = f"[{rule.name}](rules/{rule.name}.md)"
    shown = {"regular": "everyone"}.get(card.persona, card.persona)
    return (
        f"| {card.code} | {link} | {witnesses(rule)} | {card.severity} | {shown} | {card.title} |"
    )


def _manual(doc: str) -> str:
    """The docstring, its literal blocks (`::` and an indented block) as fenced code."""
    return cleandoc(doc)
