"""What a policy decides about a call.

Every rule that applies is run. One that fails adds its weight to the risk score. A failed rule that
rejects outranks all; otherwise any other failed rule, or a score at the threshold, asks a person;
otherwise the automatic condition decides. A rule that cannot be evaluated asks a person. One that
only warns asks nobody by itself: its weight counts towards the threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

from msgspec import Struct

from agentcheck.whatif.policy.conditions import Condition, ConditionError
from agentcheck.whatif.policy.form import Does, PolicyForm, RuleForm, ToolForm
from agentcheck.whatif.policy.provenance import Texts, tainted
from agentcheck.whatif.policy.texts import Found, TextRule, breaches, texts_of
from agentcheck.whatif.policy.wording import own_breaches, text_rules

Outcome = Literal["approve", "human", "reject"]
MOST = 100
"""The highest risk score."""
MOST_SHOWN = 10**15
"""Whole numbers from which on only their size is told."""
_NOTHING = Texts(None, None)


class Call(Struct, frozen=True):
    """A call to decide about. `arguments` is None where `raw` is no JSON object."""

    tool: str
    arguments: Mapping[str, Any] | None
    raw: str = ""
    agent: str = ""
    tenant: str | None = None
    texts: Texts = _NOTHING


class Reason(Struct, frozen=True):
    """A rule that a call fails. "warn" marks it and decides nothing but the score."""

    rule: str
    outcome: Literal["reject", "human", "warn"]
    weight: int
    text: str


class Decision(Struct, frozen=True):
    """What is to be done with a call, its risk score from 0 to 100, and why."""

    outcome: Outcome
    score: int
    reasons: tuple[Reason, ...] = ()


class _Seen:
    """A call with what is found out about it once, when a rule asks."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self._tainted: dict[str, str] | None = None

    @property
    def tainted(self) -> dict[str, str]:
        if self._tainted is None:
            self._tainted = tainted(self.call.arguments or {}, self.call.texts)
        return self._tainted

    def given(self) -> dict[str, Any]:
        """What a condition sees."""
        return {
            "args": dict(self.call.arguments or {}),
            "tool": self.call.tool,
            "agent": self.call.agent,
            "tenant": self.call.tenant or "",
            "tainted": sorted(self.tainted),
        }


Check = Callable[[_Seen], Iterator[Reason]]


class Policy:
    """A policy, compiled. Raises UsageError for a condition or pattern that is none."""

    def __init__(self, form: PolicyForm, where: str) -> None:
        self.form = form
        self._rules = [_Rule(rule, f"{where}: rules: {rule.name}") for rule in form.rules]
        self._auto = {
            name: Condition(tool.approve_when, f"{where}: tools.{name}.approve_when")
            for name, tool in form.tools.items()
            if tool.approve_when is not None
        }
        self._texts, self._patterns = text_rules(form.constitution, where)

    def does(self, tool: str) -> Does:
        """What a tool does by the policy."""
        known = self.form.tools.get(tool)
        return "unknown" if known is None else known.does

    def decide(self, call: Call) -> Decision:
        """Run every rule that applies to a call."""
        seen = _Seen(call)
        reasons = [reason for check in self._checks() for reason in check(seen)]
        score = min(sum(reason.weight for reason in reasons), MOST)
        outcomes = {reason.outcome for reason in reasons}
        if "reject" in outcomes:
            return Decision("reject", score, _ranked(reasons))
        if "human" in outcomes:
            return Decision("human", score, _ranked(reasons))
        if score >= self.form.threshold:
            text = f"the score is {score}, and a person is asked from {self.form.threshold} on"
            return Decision("human", score, (Reason("threshold", "human", 0, text), *reasons))
        reasons += self._automatic(seen)
        outcome: Outcome = "human" if any(r.outcome == "human" for r in reasons) else "approve"
        return Decision(outcome, score, _ranked(reasons))

    def _checks(self) -> Iterator[Check]:
        yield from (self._known, self._tenant, self._asked, self._limit)
        yield from (rule.check for rule in self._rules)
        yield self._text

    def _known(self, seen: _Seen) -> Iterator[Reason]:
        if seen.call.tool not in self.form.tools:
            text = "the policy does not name this tool"
            yield Reason("known-tool", self.form.unknown_tools, MOST, text)
        if seen.call.arguments is None:
            yield Reason("arguments", "human", 40, "the arguments are no JSON object")

    def _tenant(self, seen: _Seen) -> Iterator[Reason]:
        name, tool = seen.call.tenant, seen.call.tool
        if name is None:
            return
        tenant = self.form.tenants.get(name)
        if tenant is None:
            yield Reason("tenant", "reject", MOST, f"the policy does not name the tenant {name}")
        elif not _fits(tool, tenant.allow):
            yield Reason("tenant-allow", "reject", MOST, f"{name} may not call it")
        elif _fits(tool, tenant.ask):
            weight = self._tool(tool).score
            yield Reason("tenant-ask", "human", weight, f"{name} has it approved by a person")

    def _asked(self, seen: _Seen) -> Iterator[Reason]:
        tool = self.form.tools.get(seen.call.tool)
        if tool is None or tool.ask == "never":
            return
        if tool.ask == "always":
            yield Reason("ask", "human", tool.score, f"a person is asked: {_DOES[tool.does]}")
        elif seen.call.texts.said is None:
            text = "the record does not tell where the arguments come from"
            yield Reason("ask-tainted", "human", tool.score, text)
        elif not seen.call.arguments:
            text = f"nothing in the call tells who asked for it, and it {_DOES[tool.does]}"
            yield Reason("ask-tainted", "human", tool.score, text)
        elif seen.tainted:
            names = ", ".join(sorted(seen.tainted))
            text = f"nobody vouches for {names}, and it {_DOES[tool.does]}"
            yield Reason("ask-tainted", "human", tool.score, text)

    def _limit(self, seen: _Seen) -> Iterator[Reason]:
        limit = self._tool(seen.call.tool).limit
        if limit is None:
            return
        given = (seen.call.arguments or {}).get(limit.argument)
        if isinstance(given, bool) or not isinstance(given, int | float):
            text = f"{limit.argument} is no number, so it cannot be held against its limit"
            yield Reason("limit", "human", 40, text)
        elif not 0 <= given <= limit.most:
            text = f"{limit.argument} {_number(given)} is not within 0 to {limit.most:g}"
            yield Reason("limit", "human", 40, text)

    def _text(self, seen: _Seen) -> Iterator[Reason]:
        call, does = seen.call, self.does(seen.call.tool)
        texts = texts_of(call.arguments, call.raw)
        for found in breaches([rule for rule in self._texts if _in_scope(rule, does)], texts):
            yield _told(found.rule, found.text)
        own = [pair for pair in self._patterns if _in_scope(pair[0], does)]
        for failed in own_breaches(own, texts):
            if isinstance(failed, Found):
                yield _told(failed.rule, failed.text)
            else:
                rule, why = failed
                yield Reason(rule.name, "human", 40, f"cannot be evaluated: {why}")

    def _automatic(self, seen: _Seen) -> Iterator[Reason]:
        condition = self._auto.get(seen.call.tool)
        if condition is None:
            return
        try:
            if not condition.holds(seen.given()):
                text = f"it is not approved by itself: {condition.text} does not hold"
                yield Reason("approve_when", "human", 0, text)
        except ConditionError as error:
            yield Reason("approve_when", "human", 0, f"cannot be evaluated: {error}")

    def _tool(self, name: str) -> ToolForm:
        return self.form.tools.get(name) or ToolForm()


class _Rule:
    """A rule with its conditions compiled."""

    def __init__(self, form: RuleForm, where: str) -> None:
        self._form = form
        self._when = Condition(form.when, f"{where}.when") if form.when else None
        self._require = Condition(form.require, f"{where}.require")

    def check(self, seen: _Seen) -> Iterator[Reason]:
        form, call = self._form, seen.call
        if not (_fits(call.tool, form.tools) and _fits(call.tenant or "", form.tenants)):
            return
        try:
            given = seen.given()
            if self._when is not None and not self._when.holds(given):
                return
            if not self._require.holds(given):
                text = form.message or f"{form.require} does not hold"
                yield Reason(form.name, form.on_fail, form.weight, text)
        except ConditionError as error:
            yield Reason(form.name, "human", form.weight, f"cannot be evaluated: {error}")


_DOES: dict[Does, str] = {
    "reads": "reads",
    "change": "changes something",
    "message": "sends a message",
    "money": "moves money",
    "destructive": "destroys something",
    "code": "runs code",
    "handoff": "hands over",
    "unknown": "does what is not known",
}


def _number(given: float) -> str:
    """A number as it is shown; a whole number may have more digits than a float can have."""
    if isinstance(given, int) and abs(given) >= MOST_SHOWN:
        return "of more than 15 digits"
    return f"{given:g}"


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _in_scope(rule: TextRule, does: Does) -> bool:
    if rule.scope == "messages":
        return does in ("message", "code", "unknown")
    return rule.scope == "all" or does != "reads"


def _told(rule: TextRule, text: str) -> Reason:
    shown = " ".join(text.split())[:80]
    if rule.severity == "warn":
        return Reason(rule.name, "warn", 0, f"it {rule.says}: {shown}")
    return Reason(rule.name, "reject", MOST, f"it {rule.says}: {shown}")


def _ranked(reasons: list[Reason]) -> tuple[Reason, ...]:
    order = ("reject", "human", "warn")
    return tuple(sorted(reasons, key=lambda r: (order.index(r.outcome), -r.weight)))
