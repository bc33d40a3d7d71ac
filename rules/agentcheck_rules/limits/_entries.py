"""Calls of a framework's own agent loop: is its limit in force?"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    InForce,
    RunCall,
    code_kind,
    fine,
    limits_in_force,
    primary,
    related,
)


def entry_assessments(graph: AgentGraph, card: Card) -> Iterator[Assessment]:
    """One assessment a run entry that has a limit at all."""
    for run in graph.runs:
        limits = limits_in_force(graph, run)
        if limits and code_kind(run.site.fn.file.path) != "test":
            yield _entry(run, limits, card)


def _entry(run: RunCall, limits: list[InForce], card: Card) -> Assessment:
    owner = run.site.fn.qualname
    finite = next((limit for limit in limits if limit.worth == "finite"), None)
    unknown = next((limit for limit in limits if limit.worth == "unknown"), None)
    here = related(run.site.place, "the framework's own loop starts here")
    if run.data.interactive:
        return fine(owner, "met-differently", "a person is asked on every turn", here)
    if finite is not None:
        why = f"{finite.data.keyword} is {finite.text} {finite.data.unit}"
        return fine(owner, "met", why, here)
    if unknown is not None:
        return fine(owner, "cannot-tell", f"{unknown.data.keyword} is {unknown.text}", here)
    return _unlimited(run, limits[0], owner, card)


def _unlimited(run: RunCall, limit: InForce, owner: str, card: Card) -> Assessment:
    keyword = limit.data.keyword
    how = "switched off here" if limit.given else "off by default"
    message = f"`{owner}` starts {run.framework}'s loop with `{keyword}` {how}."
    evidence = [primary(limit.given or run.site.place, f"`{keyword}` is {how}")]
    if limit.given is not None:
        evidence.append(related(run.site.place, "the framework's own loop starts here"))
    hit = Hit(
        title=f"`{keyword}` is {how}",
        message=message,
        owner=owner,
        failure_path=(
            f"`{owner}` starts the run with no limit",
            "the model asks for another tool call every time",
            f"{run.framework} goes on, since `{keyword}` is its only bound",
        ),
        challenge=Challenge("upheld", ("another limit of the run", "the framework's default")),
        smallest_change=f"Pass a finite `{keyword}`.",
    )
    return Assessment(
        subject=owner, verdict="not-met", why=message, evidence=tuple(evidence), hit=hit
    )
