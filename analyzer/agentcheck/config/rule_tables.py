"""`[rules.<name>]` of the configuration -> the options that each rule declares."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from agentcheck.config.nearest import nearest, suggestion
from agentcheck.config.settings import Settings
from agentcheck.model.errors import UsageError
from agentcheck.rule import Rule, RuleOptions


def rule_options(rules: Iterable[Rule], settings: Settings) -> dict[str, RuleOptions]:
    """The options of every rule that the configuration has a table for, by the rule's name.

    Raises UsageError for a table of no rule, of a rule without options, and for a key or value
    that the rule does not take.
    """
    known = {rule.name: rule for rule in rules}
    where = f"{settings.source}: " if settings.source else ""
    return {
        name: _options(_rule(name, known, where), table, f"{where}rules.{name}")
        for name, table in settings.rules.items()
    }


def keys_of(options: type[RuleOptions]) -> list[str]:
    """The keys that a rule's table may have."""
    return [field.encode_name for field in msgspec.structs.fields(options)]


def _rule(name: str, known: dict[str, Rule], where: str) -> Rule:
    if name not in known:
        near = nearest(name, known)
        hint = f'did you mean "{near}"?' if near else "`agentcheck rule` lists all"
        raise UsageError(f'{where}rules: no rule is called "{name}"; {hint}')
    return known[name]


def _options(rule: Rule, table: dict[str, Any], where: str) -> RuleOptions:
    if rule.options is None:
        raise UsageError(f"{where}: the rule has no options; remove the table")
    keys = keys_of(rule.options)
    for key in table:
        if key not in keys:
            raise UsageError(f'{where}: unknown key "{key}"; {suggestion(key, keys)}')
    try:
        return msgspec.convert(table, rule.options)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}{_told(str(error))}") from None


def _told(message: str) -> str:
    """`.most-seconds: expected `float`, got `str``, from msgspec's own words."""
    match = re.fullmatch(r"(.*) - at `\$(.*)`", message, re.DOTALL)
    what, path = (match[1], match[2]) if match else (message, "")
    return f"{path}: {what[:1].lower()}{what[1:]}"
