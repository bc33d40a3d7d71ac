"""Agents hand control round in a ring, and none of them does anything.

One agent hands over to another, which hands back at once, and the first does the same again.
Each lap costs model calls with a longer history, and only a turn limit ends it.

A handoff counts as repeated when the same agent hands over to the same agent for the second time
with no other tool called and no message from the user in between; so a triage agent that is
returned to after real work is no fault.
"""

from agentcheck.rule import Card
from agentcheck_rules.handoffs._run_handoff_oscillation import check_run, usual_run

__all__ = ["CARD", "check_run", "usual_run"]

CARD = Card(
    code="AC551",
    topic="handoff-oscillation",
    title="Agents hand over to each other without doing any work",
    question="Does every handoff of a run move it on?",
    severity="high",
    confidence="high",
    at_stake="A request must reach an agent that deals with it.",
    consequence="The run goes round until its limit, and the user gets no answer.",
    owner="whoever owns the handoffs",
    smallest_change="Refuse a handoff back to the agent that control came from while nothing was "
    "done, and tell the agent so; sharpen the prompts on who deals with what.",
    could_break="Teams that pass a request back once to ask for more.",
    acceptance="Two scripted agents that hand over to each other are stopped by {owner} at the "
    "second lap.",
    tags=("liveness", "spend"),
)
