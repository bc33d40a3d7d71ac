"""Personal data and keys stand in records in plain text.

Records of runs are kept longer and read by more people than the data they were made from. What
counts in a run: an e-mail address in a tool's result, for it came out of a system of record; and
anywhere the shape of a long-lived key. What users write of themselves is not counted.
"""

from agentcheck.rule import Card
from agentcheck_rules.records._run_content_logged import check_run

__all__ = ["CARD", "check_run"]

CARD = Card(
    code="AC851",
    topic="content-logged",
    title="Personal data is recorded in plain text",
    question="Are the records of runs free of personal data and keys in plain text?",
    severity="medium",
    confidence="medium",
    at_stake="Records of runs must not become a second place where personal data leaks from.",
    consequence="Whoever reads the traces reads customers' data, and deletion requests miss them.",
    owner="whoever owns the recording of runs",
    smallest_change="Mask addresses and keys before a record is written, or record without "
    "content and turn content on for single runs.",
    could_break="Evaluations that read the masked values from records.",
    acceptance="A scripted tool that returns an e-mail address and a key leaves neither in what "
    "{owner} records.",
    tags=("privacy",),
)
