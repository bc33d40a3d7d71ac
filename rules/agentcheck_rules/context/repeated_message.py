"""An agent says the same thing again and again, word for word.

Of agents that talk with each other one may be stuck: it gives the same order or the same excuse
whatever it is told. Messages of fewer than thirty characters do not count, nor do those of a user.
"""

from agentcheck.rule import Card
from agentcheck_rules.context._run_repeated_message import check_run, usual_run

__all__ = ["CARD", "check_run", "usual_run"]

CARD = Card(
    code="AC651",
    topic="repeated-message",
    title="An agent repeats itself word for word",
    question="Does every message of an agent say something that it did not say before?",
    severity="medium",
    confidence="medium",
    at_stake="A conversation among agents must come to an end with a result.",
    consequence="The run spends its turns on one message, up to its limit or without one.",
    owner="whoever owns the agent loop",
    smallest_change="Compare each message with the agent's last ones, and on the third equal one "
    "end the run or ask a person.",
    could_break="Agents that answer with fixed texts, such as refusals.",
    acceptance="A scripted agent that says one thing three times makes {owner} end the run.",
    tags=("liveness", "spend"),
)
