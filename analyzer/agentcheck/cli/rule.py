"""`agentcheck rule`: explain one rule, or list all."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from agentcheck.cli.output import say

if TYPE_CHECKING:
    from agentcheck.rule import Rule


class Form(StrEnum):
    """How rules are printed."""

    TEXT = "text"
    JSON = "json"


Name = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="A rule's name or code; none lists all.")
]
Format = Annotated[Form, typer.Option("--output-format", help="Markdown text, or JSON.")]


def rule(name: Name = None, output_format: Format = Form.TEXT) -> int:
    """Explain one rule, or list all."""
    from agentcheck.run.select import known_rules, rule_called

    rules = known_rules()
    chosen = rules if name is None else (rule_called(name, rules),)
    if output_format is Form.JSON:
        say(_as_json(chosen))
    else:
        say("".join(map(_row, rules)) if name is None else _page(chosen[0]))
    return 0


def _row(rule: Rule) -> str:
    card = rule.card
    asked = _witnesses(rule)
    return f"{card.code}  {rule.name:<28}  {card.severity:<6}  {asked:<13}  {card.title}\n"


def _witnesses(rule: Rule) -> str:
    from agentcheck.report.rule_page import witnesses

    return witnesses(rule)


def _page(rule: Rule) -> str:
    from agentcheck.report.rule_page import rule_page
    from agentcheck.rule.examples import examples_of

    return rule_page(rule, examples_of(rule))


def _as_json(rules: tuple[Rule, ...]) -> str:
    from msgspec import json, to_builtins

    from agentcheck.rule.examples import examples_of

    pages = [
        {
            "name": rule.name,
            "family": rule.family,
            "witnesses": [n for n, ask in (("code", rule.check), ("trace", rule.check_run)) if ask],
            "manual": rule.doc.strip(),
            "card": to_builtins(rule.card),
            "examples": to_builtins(examples_of(rule)),
        }
        for rule in rules
    ]
    return json.format(json.encode(pages), indent=2).decode() + "\n"
