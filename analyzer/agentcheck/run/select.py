"""Which rules a selector names, and which rules a run asks.

A selector is "ALL", a family ("limits"), a rule's name, a code ("AC101") or the start of codes
("AC1"). As in ruff, the more exact of two selectors wins, and at a draw the ignoring one does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from agentcheck.config import Settings, UsageError
from agentcheck.config.nearest import nearest
from agentcheck.model.card import PERSONAS, Severity
from agentcheck.model.pattern import lazy_re
from agentcheck.rule import Rule, RuleError, load_rules
from agentcheck.run.request import Request

_CODE = lazy_re(r"[A-Z]{2,8}\d*", re.IGNORECASE)
_EXACT = 100


def selected(rules: Sequence[Rule], settings: Settings) -> list[Rule]:
    """The rules to ask. Raises UsageError for a selector that names no rule."""
    wanted = (*settings.select, *settings.extend_select)
    check_selectors(wanted, rules, "--select")
    check_selectors(settings.ignore, rules, "--ignore")
    for entry in settings.per_file_ignores:
        check_selectors(entry.rules, rules, f"per-file-ignores of {entry.pattern}")
    check_selectors(settings.severity, rules, "severity")
    return [r for r in rules if rank(r, wanted) > rank(r, settings.ignore)]


def configured(rule: Rule, severities: Mapping[str, Severity]) -> Severity | None:
    """The severity that the user gave to a rule; the most exact selector wins."""
    ranked = [(rank(rule, (selector,)), selector) for selector in severities]
    best = max(ranked, default=(0, ""))
    return severities[best[1]] if best[0] else None


def answerable(rules: Sequence[Rule], request: Request, settings: Settings) -> list[Rule]:
    """The rules that can be asked of what is looked at. Raises UsageError where none can.

    Tests are read for a rule only where its findings are shown, or where its name was given.
    """
    code, runs = request.stdin is not None or bool(request.paths), bool(request.traces)
    found = [r for r in rules if (r.check and code) or (r.check_run and runs)]
    found = [r for r in found if not r.card.of_tests or _is_wanted(r, settings)]
    if not found:
        what = "code" if code else "recorded runs"
        raise UsageError(f"no selected rule can be asked of {what}; check --select and --ignore")
    return found


def _is_wanted(rule: Rule, settings: Settings) -> bool:
    named = rank(rule, (*settings.select, *settings.extend_select)) == _EXACT
    return named or PERSONAS.index(rule.card.persona) <= PERSONAS.index(settings.persona)


def known_rules() -> tuple[Rule, ...]:
    """Every installed rule. Raises UsageError for a package whose modules are no rules."""
    try:
        return load_rules()
    except (RuleError, ImportError) as error:
        raise UsageError(f"a package of rules cannot be used: {error}; uninstall it") from None


def rule_called(name: str, rules: Sequence[Rule]) -> Rule:
    """The rule of a name or code. Raises UsageError."""
    for rule in rules:
        if name.lower() in (rule.name, rule.card.code.lower()):
            return rule
    raise _unknown(name, rules, "rule")


def check_selectors(selectors: Iterable[str], rules: Sequence[Rule], where: str) -> None:
    """Raise UsageError for the first selector that names no rule."""
    for selector in selectors:
        if not any(rank(rule, (selector,)) for rule in rules):
            raise _unknown(selector, rules, where)


def _unknown(word: str, rules: Sequence[Rule], where: str) -> UsageError:
    known = {name for r in rules for name in (r.name, r.family, r.card.code)}
    near = nearest(word, known)
    hint = f'did you mean "{near}"?' if near else "`agentcheck rule` lists all"
    return UsageError(f'{where}: no rule is called "{word}"; {hint}')


def rank(rule: Rule, selectors: Iterable[str]) -> int:
    """How exactly the selectors name a rule: 0 for not at all, more for a longer match."""
    return max((_rank(rule, selector) for selector in selectors), default=0)


def _rank(rule: Rule, selector: str) -> int:
    if selector == "ALL":
        return 1
    if selector in (rule.name, rule.card.code):
        return _EXACT
    if selector == rule.family:
        return 2
    if _CODE.fullmatch(selector) and rule.card.code.startswith(selector.upper()):
        return _EXACT if selector.upper() == rule.card.code else len(selector)
    return 0
