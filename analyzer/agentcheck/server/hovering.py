"""The page of the rule behind a diagnostic, as `agentcheck rule` prints it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from lsprotocol.types import Hover, MarkupContent, MarkupKind

from agentcheck.server.diagnose import Shown


def hover(shown: Iterable[Shown], *, markdown: bool) -> Hover | None:
    """The pages of the rules that diagnostics are of, each once."""
    over = [one for one in shown if one.finding is not None]
    rules = dict.fromkeys(one.finding.rule for one in over if one.finding is not None)
    if not rules:
        return None
    kind = MarkupKind.Markdown if markdown else MarkupKind.PlainText
    pages = "\n\n---\n\n".join(page(rule) for rule in rules)
    return Hover(MarkupContent(kind, pages), over[0].diagnostic.range)


@cache
def page(rule: str) -> str:
    """The page of a rule."""
    from agentcheck.report.rule_page import rule_page
    from agentcheck.rule.examples import examples_of
    from agentcheck.run.select import known_rules, rule_called

    found = rule_called(rule, known_rules())
    return rule_page(found, examples_of(found))
