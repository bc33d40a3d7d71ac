"""What to do first: severity and confidence, in the light of what kind of code it is in.

The severity is shifted by what the profile and the path say (`_shift`), then read from a table:
high is fix-now, or investigate-next where it is not sure; medium is fix-when; low is fix-when
where it is sure; the rest can be left.
"""

from __future__ import annotations

from agentcheck.model.card import SEVERITIES, Confidence, Priority, Severity
from agentcheck.model.kind import CodeKind
from agentcheck.model.report import Profile
from agentcheck.rule import Rule

TABLE: dict[Severity, dict[Confidence, Priority]] = {
    "high": {"high": "fix-now", "medium": "fix-now", "low": "investigate-next"},
    "medium": {"high": "fix-when", "medium": "fix-when", "low": "fix-when"},
    "low": {"high": "fix-when", "medium": "leave", "low": "leave"},
    "info": {"high": "leave", "medium": "leave", "low": "leave"},
}
SHARED_BY_TENANTS = frozenset({"retrieval-unfiltered", "content-logged"})


def prioritise(
    severity: Severity, confidence: Confidence, rule: Rule, kind: CodeKind, profile: Profile
) -> Priority:
    """When a finding of that severity and confidence should be acted on."""
    steps = SEVERITIES.index(severity) + _shift(confidence, rule, kind, profile)
    return TABLE[SEVERITIES[min(max(steps, 0), len(SEVERITIES) - 1)]][confidence]


def _shift(confidence: Confidence, rule: Rule, kind: CodeKind, profile: Profile) -> int:
    """How many steps down the severity counts; a negative number is up.

    What is sure counts in full in examples too: an example that cannot start is a fault today.
    """
    unsure_example = kind == "example" and profile.form != "example" and confidence != "high"
    steps = 2 if kind == "test" else int(unsure_example)
    if profile.side_effects == "none" and rule.family == "approval":
        steps += 1
    if profile.tenancy == "many" and rule.card.topic in SHARED_BY_TENANTS:
        steps -= 1
    return steps
