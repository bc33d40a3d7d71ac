"""`agentcheck rule`: explain one rule, or list all."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from agentcheck.cli.output import say

if TYPE_CHECKING:
    from agentcheck.rule import Rule

Name = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="A rule's name or code; none lists all.")
]


def rule(name: Name = None) -> int:
    """Explain one rule, or list all."""
    from agentcheck.run.select import known_rules, rule_called

    rules = known_rules()
    say("".join(map(_row, rules)) if name is None else _page(rule_called(name, rules)))
    return 0


def _row(rule: Rule) -> str:
    card = rule.card
    return (
        f"{card.code}  {rule.name:<28}  {card.severity:<6}  {_witnesses(rule):<10}  {card.title}\n"
    )


def _page(rule: Rule) -> str:
    """All that a rule says of itself, and the code it is tested on where that is at hand."""
    card = rule.card
    parts = [
        f"{rule.name} ({card.code}): {card.title}",
        f"family {rule.family}, topic {card.topic}, asked of {_witnesses(rule)}",
        f"severity {card.severity}, confidence {card.confidence}, persona {card.persona}",
        rule.doc.strip(),
        f"Question: {card.question}",
        f"At stake: {card.at_stake}",
        f"Consequence: {card.consequence}",
        f"Owner: {card.owner}",
        f"Smallest change: {card.smallest_change}",
        f"Could break: {card.could_break}",
        f"Proved by: {card.acceptance}",
        *(f"Reference: {reference}" for reference in card.references),
        *_example(rule),
    ]
    return "\n\n".join(parts) + "\n"


def _witnesses(rule: Rule) -> str:
    names = [name for name, ask in (("code", rule.check), ("trace", rule.check_run)) if ask]
    return "+".join(names)


def _example(rule: Rule) -> list[str]:
    """The fixture of a rule, present in a checkout but not in an installed package."""
    module = sys.modules[rule.module].__file__
    if module is None:
        return []
    stem = rule.name.replace("-", "_")
    roots = (parent / "fixtures" / "rules" / f"{stem}.py" for parent in Path(module).parents)
    fixture = next((path for path in roots if path.is_file()), None)
    if fixture is None:
        return []
    marks = "lines marked `expect` are reported, lines marked `ok` are not"
    return [f"Example ({marks}):", indent(fixture.read_text("utf-8").rstrip(), "    ")]
