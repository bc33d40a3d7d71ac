"""What a rule says of itself, once."""

from typing import Literal

from msgspec import Struct

Severity = Literal["high", "medium", "low", "info"]
Confidence = Literal["high", "medium", "low"]
Persona = Literal["regular", "pedantic", "auditor"]
Priority = Literal["fix-now", "investigate-next", "fix-when", "leave"]

SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low", "info")
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
PERSONAS: tuple[Persona, ...] = ("regular", "pedantic", "auditor")
PRIORITIES: tuple[Priority, ...] = ("fix-now", "investigate-next", "fix-when", "leave")


class Card(Struct, frozen=True, kw_only=True):
    """The prose and defaults that every finding of a rule shares; a hit may sharpen them.

    `question` is asked of each subject and answered "yes" by an assessment that is met, for
    example "Is every loop that calls a model bounded?". `owner` is a role; a hit names the
    function. `persona` is the least curious reader who is shown the rule's findings. `of_tests` is
    set where the rule looks at tests too, which are otherwise neither read nor linked.
    """

    code: str
    topic: str
    title: str
    question: str
    severity: Severity
    confidence: Confidence
    at_stake: str
    consequence: str
    owner: str
    smallest_change: str
    could_break: str
    acceptance: str
    remedy_confidence: Confidence = "medium"
    persona: Persona = "regular"
    of_tests: bool = False
    tags: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
