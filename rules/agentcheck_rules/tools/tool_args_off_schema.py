"""A call's arguments do not fit the parameters that the model was shown.

A required parameter is missing, a name is none of the tool's, a value is none of an enum's. The
call then fails inside the tool, or worse, runs with a default the model did not mean.

Only where the record holds the tools' JSON schemas. Types are not judged, for SDKs convert them;
names are off only where the schema forbids further ones.
"""

from agentcheck.rule import Card
from agentcheck_rules.tools._run_tool_args_off_schema import check_run, usual_run

__all__ = ["CARD", "check_run", "usual_run"]

CARD = Card(
    code="AC353",
    topic="tool-args-off-schema",
    title="Tool arguments do not fit the tool's schema",
    question="Do the arguments of every tool call fit the schema that the model was given?",
    severity="medium",
    confidence="high",
    at_stake="What reaches a tool must be what its schema allows.",
    consequence="The tool fails with an error that is hard to read, or runs with defaults that "
    "nobody asked for.",
    owner="whoever owns the dispatcher",
    smallest_change="Validate the arguments against the schema before the call, and give the model "
    "the error as the call's result; use strict schemas where the provider has them.",
    could_break="Tools that rely on arguments outside of their schema.",
    acceptance="A scripted call with a wrong parameter name never reaches the tool in {owner}; its "
    "result names the parameter.",
    tags=("correctness",),
)
