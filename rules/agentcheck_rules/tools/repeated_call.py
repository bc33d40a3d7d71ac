"""A run makes one and the same tool call again and again.

Same tool, same arguments, `min-repeats` times or more (three unless `[trace]` says otherwise),
consecutive or not. The model does not take in the result, or the result tells it nothing; each
repeat costs a model call with a longer history, and nothing in the loop notices.

Arguments are compared as JSON values, whatever the order of keys and the spacing. Where every
repeat brought a new result the calls may be polling or testing, which is shown to auditors only.
Calls that ask for a handoff are left to `handoff-oscillation`.
"""

from agentcheck.rule import Card
from agentcheck_rules.tools._run_repeated_call import check_run, usual_run

__all__ = ["CARD", "check_run", "usual_run"]

CARD = Card(
    code="AC351",
    topic="repeated-call",
    title="The same tool call is made again and again",
    question="Does every repeated tool call of a run bring something new?",
    severity="medium",
    confidence="high",
    at_stake="A run must make progress with every call it pays for.",
    consequence="The run spends model calls and tool calls on an answer it already has, up to its "
    "limit or without one.",
    owner="whoever owns the agent loop",
    smallest_change="Remember the calls of a run; answer a call that was made before with a result "
    "that says so, and end the run after the third.",
    could_break="Agents that poll: let a tool say that it may be called again.",
    acceptance="A scripted model that makes one call over and over is told so after the second, "
    "and {owner} ends after the third.",
    tags=("spend", "liveness"),
)
