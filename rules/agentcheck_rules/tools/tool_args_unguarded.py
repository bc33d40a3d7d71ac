"""A model's tool arguments are parsed as JSON with nothing to catch what is not JSON.

The argument string is written by the model. It is broken when a reply is cut at the token limit,
and now and then for no reason. Parsed without a handler it ends the whole run; what the model
needs is an error result for that call id, so that it can try again.

Looked for is a handler of the decoding error around the parse, in the function, in the wrappers
that decorators put around it and, where every caller has one inside its loop, in the callers; an
error that is raised anew under another name is followed under that name. A test of the text by a
function that tries to parse it counts as well.

JSON that is well formed may still leave out what the code reads: `arguments["city"]` outside any
handler, with no test of the key, is reported too, at a lower severity. Files that ask for strict
schemas are left out of that.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Fn,
    Hit,
    Protection,
    Site,
    argument_parses,
    dotted,
    fine,
    primary,
    protection,
    related,
    tested_first,
)
from agentcheck_rules._answering import answered
from agentcheck_rules.tools._arg_reads import unguarded_reads
from agentcheck_rules.tools._dispatch import (
    batch_evidence,
    guard_evidence,
    looked_in,
    outside_tests,
)
from agentcheck_rules.tools._run_tool_args_unguarded import check_run, usual_run

__all__ = ["CARD", "check", "check_run", "usual_run"]
CARD = Card(
    code="AC301",
    topic="tool-args-unguarded",
    title="Tool arguments are parsed with nothing to catch broken JSON",
    question="Is every parse of a model's tool arguments guarded?",
    severity="high",
    confidence="high",
    remedy_confidence="high",
    at_stake="One malformed tool call must not end the run.",
    consequence="The session ends with a decoding error and its history is lost; the call id stays "
    "unanswered.",
    owner="whoever dispatches tool calls",
    smallest_change="Catch the decoding error, answer the call id with a message that says what is "
    "wrong, and go on.",
    could_break="Code that relied on the exception to stop a run.",
    acceptance="A scripted call with broken JSON yields a paired tool message in {owner} that says "
    "so, and the model is called again.",
    tags=("robustness",),
)
ERRORS = ("JSONDecodeError", "ValueError", "ValidationError")


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a place that parses a model's arguments, one a function that reads them."""
    open_ones: set[Fn] = set()
    for site in outside_tests(argument_parses(graph)):
        found = protection(graph, site, ERRORS)
        tested = tested_first(graph, site)
        if found.open and tested is None:
            open_ones.add(site.fn)
            yield _unguarded(graph, site, found)
        else:
            yield _harmless(site, found, tested)
    yield from unguarded_reads(graph, open_ones)


def _harmless(site: Site, found: Protection, tested: Site | None) -> Assessment:
    subject = site.fn.qualname
    here = related(site.place, "the model's arguments are parsed here")
    caught = guard_evidence(found)
    if caught is not None:
        return fine(subject, "met", "a decoding error is caught", here, caught)
    if tested is not None:
        there = related(tested.place, "the text is tried before")
        return fine(subject, "met-differently", "only text that is JSON gets here", here, there)
    return fine(subject, "cannot-tell", f"Whether it is caught: {found.unsure}.", here)


def _unguarded(graph: AgentGraph, site: Site, found: Protection) -> Assessment:
    owner = site.fn.qualname
    hit = Hit(
        message=f"`{owner}` parses arguments the model wrote, and nothing catches broken JSON.",
        owner=owner,
        failure_path=(
            "the model's reply is cut, or its arguments are malformed",
            f"`{owner}` parses them and raises",
            "no handler stands between here and the end of the run",
            "the call id is never answered",
        ),
        challenge=Challenge("upheld", looked_in(found, "a handler of the decoding error")),
        names={"owner": owner},
        fix=answered(graph, [site], _error(site), "Error: not valid JSON"),
    )
    evidence: list[CodeEvidence] = [
        primary(site.place, "this raises on anything that is not JSON"),
        *batch_evidence(graph, site),
    ]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )


def _error(site: Site) -> str:
    """What the parse raises, by a name that the file surely has."""
    callee = dotted(site.call.func) or ""
    if callee == "json.loads":
        return "json.JSONDecodeError"
    return "(ValueError, SyntaxError)" if callee.endswith("literal_eval") else "ValueError"
