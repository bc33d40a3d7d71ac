"""A side effect is carried out twice because a call was made twice.

Models repeat calls: after a timeout, after a reply was cut off, or because the first result told
them too little. A refund, an order or a mail that is carried out anew with each call then happens
twice. A tool is safe where a key for the attempt, or the state it finds, makes the second call a
no-op or a refusal.

In a run: two calls of one tool with equal arguments, the first carried out and the second not
refused. Which tools change the world says `side-effecting-tools` of `[trace]`, else their names
do, and then only verbs whose every call acts anew, such as send, pay or book. A user's message or
another side effect between the two lowers the confidence, for the second may then be meant.

In code: an effect before LangGraph's `interrupt` in one node, which starts again at its first line
when it resumes; a tool that is retried after a failure without a key; a random id that each call
makes and acts under; and, for pedantic readers, tools that move money with neither a key nor a look
at what was done. A key, a test of what is there, and a task whose result is kept are met.
"""

from agentcheck.rule import Card
from agentcheck_rules.tools._code_non_idempotent import check
from agentcheck_rules.tools._run_non_idempotent_side_effect import check_run, usual_run

__all__ = ["CARD", "check", "check_run", "usual_run"]

CARD = Card(
    code="AC354",
    topic="non-idempotent-side-effect",
    title="A repeated call repeats its side effect",
    question="Is every side effect carried out once, however often its call is made?",
    severity="high",
    confidence="high",
    at_stake="What costs money or reaches people must happen once for each time it is meant.",
    consequence="A repeated call refunds, orders or sends a second time.",
    owner="whoever owns the tool",
    smallest_change="Give the tool a key for the attempt, such as the call's id or a digest of its "
    "arguments within the run, and return the first result for a key that was seen.",
    could_break="Runs that mean the same side effect twice: they must say so in an argument.",
    acceptance="A scripted model that makes the same call twice leaves one effect, and {owner} "
    "returns the first result both times.",
    tags=("correctness", "money"),
)
