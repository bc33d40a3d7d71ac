"""Calls of a framework's own agent loop: is its limit in force?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from agentcheck.rule import (
    Agent,
    AgentGraph,
    Assessment,
    Challenge,
    Edit,
    Hit,
    InForce,
    Place,
    RunCall,
    code_kind,
    fine,
    limit_at,
    limits_in_force,
    primary,
    related,
)
from agentcheck_rules.limits._finite import finite_at, finite_group, fix_of, giving


class Unlimited(Struct):
    """A call of a framework's loop that leaves its limit at a default that is none.

    `edit` gives it one, where that can be told, and `change` says so.
    """

    framework: str
    keyword: str
    default: str
    owner: str
    place: Place
    edit: Edit | None
    change: str


def entry_assessments(graph: AgentGraph, unlimited: list[Unlimited]) -> Iterator[Assessment]:
    """One assessment a run entry that has a limit of its own; others are added to `unlimited`."""
    for run in graph.runs:
        limits = limits_in_force(graph, run)
        if not limits or run.inside or code_kind(run.site.fn.file.path) == "test":
            continue
        answer = _entry(run, limits)
        if answer is not None:
            yield answer
        else:
            unlimited.append(_unlimited(run, limits[0]))


def _unlimited(run: RunCall, limit: InForce) -> Unlimited:
    named = (run.framework, limit.data.keyword, limit.data.default)
    edit = finite_at(run, limit)
    return Unlimited(*named, run.site.fn.qualname, run.site.place, edit, giving(limit))


def by_default(calls: Iterable[Unlimited]) -> Iterator[Assessment]:
    """One assessment for all calls that leave the same limit of a framework at its default."""
    groups: dict[tuple[str, str, str], list[Unlimited]] = {}
    for call in sorted(calls, key=lambda call: call.place):
        groups.setdefault((call.framework, call.keyword, call.default), []).append(call)
    yield from map(_by_default, groups.values())


def group_assessments(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a group of agents that goes round its members until one says stop."""
    for agent in graph.agents:
        limit = agent.data.limit if agent.data else None
        if limit is None or code_kind(agent.site.fn.file.path) == "test":
            continue
        found = limit_at(graph, agent.call, agent.site.fn, limit)
        here = related(agent.site.place, "its members are asked in turn")
        if found.worth == "finite":
            yield fine(agent.name, "met", f"{limit.keyword} is {found.text}", here)
        elif found.worth == "unknown":
            yield fine(agent.name, "cannot-tell", f"{limit.keyword} is {found.text}", here)
        else:
            yield _endless_group(agent, found)


def _endless_group(agent: Agent, limit: InForce) -> Assessment:
    keyword = limit.data.keyword
    message = f"`{agent.name}` goes round its agents until one of them says stop; no `{keyword}`."
    hit = Hit(
        title=f"A loop of agents without `{keyword}`",
        message=message,
        owner=agent.name,
        failure_path=(
            f"`{agent.name}` asks its agents in turn",
            "none of them is ever satisfied",
            f"nothing ends the round, since `{keyword}` is not set",
        ),
        challenge=Challenge("upheld", ("a limit given to the group", "the framework's default")),
        smallest_change=f"Give it a finite `{keyword}`.",
        fix=finite_group(agent, limit),
    )
    place = limit.given or agent.site.place
    evidence = (primary(place, f"this loop of agents has no `{keyword}`"),)
    return Assessment(
        subject=agent.name, verdict="not-met", why=message, evidence=evidence, hit=hit
    )


def _entry(run: RunCall, limits: list[InForce]) -> Assessment | None:
    """None where the limit is off by the framework's own default."""
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
    return _switched_off(run, limits[0], owner) if limits[0].given else None


LOOKED = ("another limit of the run", "the framework's default for the release in use")


def _switched_off(run: RunCall, limit: InForce, owner: str) -> Assessment:
    keyword = limit.data.keyword
    message = f"`{owner}` starts {run.framework}'s loop with `{keyword}` switched off."
    place = limit.given or run.site.place
    hit = Hit(
        title=f"`{keyword}` is switched off",
        message=message,
        owner=owner,
        failure_path=_path(owner, run.framework, keyword),
        challenge=Challenge("upheld", LOOKED),
        smallest_change=f"Pass a finite `{keyword}`.",
        fix=fix_of([finite_at(run, limit)], giving(limit)),
    )
    evidence = (
        primary(place, f"`{keyword}` is switched off here"),
        related(run.site.place, "the framework's own loop starts here"),
    )
    return Assessment(subject=owner, verdict="not-met", why=message, evidence=evidence, hit=hit)


def _by_default(calls: list[Unlimited]) -> Assessment:
    """One finding for all calls that leave a limit at a default that is none."""
    first, *others = calls
    framework, keyword, default = first.framework, first.keyword, first.default
    stands = "is off" if default in ("none", "inf") else f"is {default}"
    message = f"{len(calls)} calls start {framework}'s loop, whose `{keyword}` {stands} by default."
    hit = Hit(
        title=f"`{keyword}` of {framework} {stands} by default and never given",
        message=message,
        owner=first.owner,
        severity="low",
        confidence="medium",
        persona="pedantic",
        failure_path=_path(first.owner, framework, keyword),
        challenge=Challenge("upheld", LOOKED),
        smallest_change=f"Pass a finite `{keyword}`.",
        fix=fix_of([call.edit for call in calls], first.change),
    )
    evidence = (
        primary(first.place, f"no `{keyword}` is given"),
        *(related(other.place, "nor here") for other in others[:8]),
    )
    return Assessment(subject=framework, verdict="not-met", why=message, evidence=evidence, hit=hit)


def _path(owner: str, framework: str, keyword: str) -> tuple[str, ...]:
    return (
        f"`{owner}` starts the run with no limit",
        "the model asks for another tool call every time",
        f"{framework} goes on, since `{keyword}` is its only bound",
    )
