"""A tool that raises, or a tool name the model invented, ends the run.

Tools fail: a service is down, an argument is missing, a name does not exist. The model can deal
with all of that if it is told. Where the dispatcher lets the exception through, one failing tool
loses the whole conversation.

Looked for is a handler around the call and around the look-up of the tool's name (a membership
test or `.get` counts for the latter), in the function and in the callers inside their loop, and
one inside every tool that can be reached.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Dispatch,
    Fn,
    Hit,
    Protection,
    code_kind,
    find_dispatches,
    fine,
    primary,
    protection,
    related,
)
from agentcheck_rules.tools._dispatch import (
    batch_evidence,
    dispatch_names,
    guard_evidence,
    looked_in,
)
from agentcheck_rules.tools._lookup import bare_lookups, guarded_lookup

CARD = Card(
    code="AC302",
    topic="tool-error-ends-run",
    title="An exception in a tool ends the run",
    question="Does the model get an error result when a tool raises or does not exist?",
    severity="high",
    confidence="high",
    remedy_confidence="high",
    at_stake="A failing tool must reach the model as a result, not end the run.",
    consequence="One exception in any tool ends the session and loses its history; the call id "
    "stays unanswered.",
    owner="whoever dispatches tool calls",
    smallest_change="Catch exceptions around the call, answer the call id with the error's text, "
    "and go on; answer unknown names the same way.",
    could_break="Code that relied on tool exceptions to stop a run.",
    acceptance="A scripted call to a tool that raises yields a paired tool message in {owner} that "
    "says so, and the model is called again.",
    tags=("robustness",),
)
ERRORS = ("TypeError", "RuntimeError")


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a place that runs a tool of the model's choice, one a bare look-up."""
    dispatches = [d for d in find_dispatches(graph) if code_kind(d.fn.file.path) != "test"]
    open_ones: dict[Fn, list[tuple[Dispatch, Protection]]] = {}
    for dispatch in dispatches:
        found = protection(graph, dispatch.site, ERRORS)
        caught = guard_evidence(found)
        if caught is None:
            open_ones.setdefault(dispatch.fn, []).append((dispatch, found))
        else:
            here = related(dispatch.site.place, "a tool of the model's choice runs here")
            yield fine(dispatch.fn.qualname, "met", "what a tool raises is caught", here, caught)
    yield from (_unguarded(graph, group) for group in open_ones.values())
    yield from _lookups(graph, dispatches)


def _unguarded(graph: AgentGraph, group: list[tuple[Dispatch, Protection]]) -> Assessment:
    dispatch, found = group[0]
    owner = dispatch.fn.qualname
    hit = Hit(
        message=f"`{owner}` runs whatever tool the model named, and nothing catches what it raises.",
        owner=owner,
        failure_path=(
            "the model calls a tool",
            "the tool raises, or its arguments do not fit its parameters",
            f"the exception leaves `{owner}` and then the run",
            "the call id is never answered",
        ),
        challenge=Challenge("upheld", looked_in(found, "a handler of exceptions")),
        names=dispatch_names(graph, dispatch.fn),
    )
    evidence: list[CodeEvidence] = [
        primary(dispatch.site.place, "an exception of the tool goes through here"),
        *(related(d.site.place, "and through here") for d, _ in group[1:4]),
        *batch_evidence(graph, dispatch.site),
    ]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )


def _lookups(graph: AgentGraph, dispatches: list[Dispatch]) -> Iterator[Assessment]:
    unguarded = {id(d.lookup.expr) for d in dispatches if d.lookup is not None}
    for site in bare_lookups(graph):
        owner = site.fn.qualname
        found = protection(graph, site, ("KeyError", "LookupError"))
        if found.guard is not None or guarded_lookup(graph, site):
            continue
        same = id(site.expr) in unguarded and any(
            d.lookup is not None
            and d.lookup.expr is site.expr
            and protection(graph, d.site, ERRORS).guard is None
            for d in dispatches
        )
        if same:
            continue
        hit = Hit(
            title="A tool name that the model invented ends the run",
            message=f"`{owner}` looks a tool up by the name the model gave; an unknown one raises.",
            owner=owner,
            severity="medium",
            failure_path=(
                "the model asks for a tool that does not exist",
                f"the look-up in `{owner}` raises KeyError",
                "the call id is never answered",
            ),
            challenge=Challenge("upheld", looked_in(found, "a handler or a test of the name")),
            names=dispatch_names(graph, site.fn),
        )
        evidence = (primary(site.place, "this raises for a name that is not there"),)
        yield Assessment(
            subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit
        )
