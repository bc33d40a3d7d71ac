"""A call was carried out against what a person or a policy had said of it.

Somebody said no, and the call was carried out all the same, at once or when the model made it
again; it was carried out before the answer came; or one yes let it be carried out twice, as when
a run is resumed that did not keep what it had done.

A program answers a denied call too, so a result counts only where no field marks it as an error
and no word in it speaks of a denial or a wait. Calls that nobody was asked about belong to
unguarded-side-effect, and effects that a second call repeats to non-idempotent-side-effect.
"""

from agentcheck.rule import Card
from agentcheck_rules.approval._run_denied_yet_executed import check_run, usual_run

__all__ = ["CARD", "check_run", "usual_run"]

CARD = Card(
    code="AC451",
    topic="denied-yet-executed",
    title="A call was carried out against its approval",
    question="Was every call that was asked about carried out once, and only after a yes?",
    severity="high",
    confidence="high",
    at_stake="An approval must bind what happens: no means no, and yes means once.",
    consequence="What a person refused happened, and the record says that they were asked.",
    owner="whoever owns the dispatcher of tool calls",
    smallest_change="Keep each answer with the call's id and its arguments, look it up right "
    "before the tool runs, and keep the result so that a resumed run does not repeat it.",
    could_break="Runs in which a refused call went through unnoticed; they now get a denial.",
    acceptance="With an approver that says no, {owner} runs nothing, also when the model makes the "
    "same call again; after a yes and a resumed run the tool was called once.",
    tags=("security", "approval"),
)
