"""The text rules that are in force under a policy: the constitution's, and the policy's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from agentcheck.config.nearest import suggestion
from agentcheck.model.errors import UsageError
from agentcheck.whatif.policy.conditions import Condition, ConditionError
from agentcheck.whatif.policy.constitution import constitution
from agentcheck.whatif.policy.form import ConstitutionForm, TextForm
from agentcheck.whatif.policy.plain import views
from agentcheck.whatif.policy.texts import Found, TextRule


class Pattern:
    """A pattern of the user's own, which RE2 searches through a condition: its time grows with the
    text and not faster, whatever the pattern."""

    def __init__(self, form: TextForm, where: str) -> None:
        """Raises UsageError for what is no pattern."""
        quoted = form.pattern.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        self._condition = Condition(f'tool.matches("{quoted}")', where)
        try:
            self._matches("")
        except ConditionError as error:
            raise UsageError(f"{where}: no pattern of RE2: {error}") from None

    def found(self, texts: Sequence[str]) -> str | None:
        """The first text that it matches. Raises ConditionError."""
        read = (view for text in texts for view, _ in views(text))
        return next((view for view in read if self._matches(view)), None)

    def _matches(self, text: str) -> bool:
        given = {"args": {}, "tool": text, "agent": "", "tenant": "", "tainted": []}
        return self._condition.holds(given)


def text_rules(
    form: ConstitutionForm, where: str
) -> tuple[list[TextRule], list[tuple[TextRule, Pattern]]]:
    """Those that come with the tool, with the severities of the policy, and its own.

    Raises UsageError for a severity of a rule that does not exist.
    """
    known = {rule.name: rule for rule in constitution()}
    for name in form.severities:
        if name not in known:
            hint = suggestion(name, known)
            raise UsageError(f'{where}: constitution.severities: no rule "{name}"; {hint}')
    made = []
    for rule in known.values():
        severity = form.severities.get(rule.name, rule.severity)
        if severity != "off":
            made.append(replace(rule, severity=severity))
    own = [(_own(one), Pattern(one, f"{where}: constitution: {one.name}")) for one in form.more]
    return made, own


def _own(form: TextForm) -> TextRule:
    says = form.says or f"matches the pattern of {form.name}"
    return TextRule(form.name, form.severity, says, (), (), form.scope)


def own_breaches(
    rules: Sequence[tuple[TextRule, Pattern]], texts: Sequence[str]
) -> Iterator[Found | tuple[TextRule, str]]:
    """The policy's own rules that some of the texts fail; with a reason where one cannot tell."""
    for rule, pattern in rules:
        try:
            text = pattern.found(texts)
        except ConditionError as error:
            yield rule, str(error)
            continue
        if text is not None:
            yield Found(rule, text)
