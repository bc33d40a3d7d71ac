"""A tool call never gets its result, or a result has no call.

Chat models must see one result for every call they made, before they are asked again. A call
without one makes providers refuse the next request, or leaves the model to invent what the tool
said. It happens where a dispatcher skips calls it does not know, stops after an exception, or
where history is trimmed between a call and its result.

Results are sought after the reply that holds the call and nowhere else, for ids repeat within
runs. A call that waits for an approval, asked for a handoff, or stands at the very end of the
record is no fault.
"""

from agentcheck.rule import Card
from agentcheck_rules.tools._run_unpaired_tool_call import check_run, usual_run

__all__ = ["CARD", "check_run", "usual_run"]

CARD = Card(
    code="AC352",
    topic="unpaired-tool-call",
    title="A tool call has no result",
    question="Does every tool call of a run get exactly its result?",
    severity="high",
    confidence="high",
    at_stake="The history that a model is sent must hold an answer to each of its calls.",
    consequence="The provider refuses the next request, or the model goes on as if the tool had "
    "said something.",
    owner="whoever owns the dispatcher",
    smallest_change="Append one result for every call id of a reply, also for unknown tools, "
    "failed calls and skipped ones.",
    could_break="Code that counts the messages of a turn.",
    acceptance="A scripted reply with a known, an unknown and a failing call leaves three results "
    "in the history of {owner}, one for each id.",
    tags=("correctness",),
)
