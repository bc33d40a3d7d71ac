"""A run used more tokens, money, time or tool calls than its budget allows.

The budgets stand under `[trace]`: `max-tokens`, `max-cost-usd`, `max-seconds` and
`max-tool-calls`, each for one run; without any, the question does not apply.

Tokens are those of every request and reply, as recorded. Money is the cost in the record, else the
tokens at the price that the package genai-prices knows for the model on that day; a model without
a known price is named, and the run is then over its budget only where the rest already is, never
within it. Time runs from the first record to the last, without the waits for a person's approval.
Where counts, times or prices are missing the answer is "cannot tell".
"""

from agentcheck.rule import Card
from agentcheck_rules.limits._run_budget_exceeded import check_run, usual_run

__all__ = ["CARD", "check_run", "usual_run"]

CARD = Card(
    code="AC152",
    topic="no-budget",
    title="A run went over its budget",
    question="Did every run keep within its budget of tokens, money, time and tool calls?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="What one run may cost is decided before it starts, not by what it does.",
    consequence="Runs cost more, or take longer, than whoever pays for them agreed to.",
    owner="whoever owns the agent loop",
    smallest_change="Count what each reply used, and end the run with a partial result and a named "
    "reason before the next request would pass the budget.",
    could_break="Runs that finished late now end early, with a part of their result.",
    acceptance="With scripted usage numbers that pass the budget, {owner} makes no further request "
    "and says in its result that the budget ended the run.",
    tags=("spend",),
)
