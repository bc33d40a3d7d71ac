"""A tool tells the model that something was done, and nothing in it makes that true.

Three shapes are looked for. A tool named for an act, such as sending or cancelling, whose body only
builds or prints a text that says it was done. A claim of success that stands after a branch or a
handler which tells of a failure and then runs on into the claim. And a claim made after a request
or a process whose outcome nobody looked at, though neither raises for a failure.

The user is told of a refund or a mail that never was. A body that says of itself that it is a
stand-in, and code under an examples folder, are told to pedantic readers only; the stand-ins of one
file are one finding.
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
    Site,
    Tool,
    acts_by_name,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.tools._answers import unread_answers
from agentcheck_rules.tools._bodies import bodied
from agentcheck_rules.tools._claims import (
    claims,
    does_nothing,
    is_stand_in,
    passed_failures,
)

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC305",
    topic="unbacked-success-claim",
    title="A tool claims a success that nothing backs",
    question="Does each tool claim success only where it succeeded?",
    severity="medium",
    confidence="high",
    at_stake="What the model tells the user must have happened.",
    consequence="The model reports a refund, a mail or a booking that was never made, and nobody "
    "looks again.",
    owner="whoever owns the tool",
    smallest_change="Claim success from the answer of what was called, and return a failure where "
    "nothing was found or done.",
    could_break="Conversations that relied on the claim now hear of the failure.",
    acceptance="{tool} returns a failure to the model when what it acts on is missing or refuses, "
    "and claims success only after the effect is there.",
    tags=("correctness",),
)
LOOKED = (
    "a call that has the effect, in the tool or what it calls",
    "a change of state outside the function",
    "a return or a raise in the branch that failed",
    "a look at the status of the answer",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a tool whose body is in the target; stand-ins of one file are one."""
    empty: dict[str, list[tuple[Tool, Fn, Site]]] = {}
    for tool, fn in bodied(graph):
        here = related(tool.place, "a model may call this")
        claimed = list(claims(graph, fn))
        if not claimed:
            yield fine(tool.name, "not-applicable", "it claims no success", here)
            continue
        site = claimed[0][0]
        if does_nothing(graph, fn) and acts_by_name(tool.name):
            empty.setdefault(tool.place.file, []).append((tool, fn, site))
            continue
        said = _runs_on(graph, tool, claimed) or _unread(graph, tool, fn, claimed)
        seen = related(site.place, "success is claimed here")
        yield said or fine(tool.name, "met", "the claim follows what was done", here, seen)
    for group in empty.values():
        yield from _split(group)


def _split(group: list[tuple[Tool, Fn, Site]]) -> Iterator[Assessment]:
    """Those that admit to stand in for something, and those that do not."""
    meant = [one for one in group if is_stand_in(one[1])]
    unmeant = [one for one in group if one not in meant]
    for some, admitted in ((unmeant, False), (meant, True)):
        if some:
            yield _empty(some, admitted=admitted)


def _empty(group: list[tuple[Tool, Fn, Site]], *, admitted: bool) -> Assessment:
    tool, fn, site = group[0]
    names = ", ".join(f"`{t.name}`" for t, _, _ in group[:6])
    example = code_kind(tool.place.file) == "example"
    does = "says it acted and does" if len(group) == 1 else "say they acted and do"
    hit = Hit(
        title="A tool's only effect is a text that claims success",
        message=f"{names} {does} nothing but make the text ({len(group)} in this file).",
        owner=fn.qualname,
        severity="low" if admitted or example else None,
        confidence="medium" if admitted or example else None,
        persona="pedantic" if admitted or example else None,
        failure_path=(
            f"the model calls `{tool.name}`",
            "the answer says that it was done",
            "the model tells the user so, and nothing was done",
        ),
        challenge=Challenge("weakened" if admitted or example else "upheld", LOOKED),
        smallest_change="Make the tool act, or have it answer that it is not connected yet.",
        names={"tool": tool.name, "owner": fn.qualname},
    )
    evidence: list[CodeEvidence] = [primary(site.place, "this is all that the tool does")]
    evidence.append(related(tool.place, "a model may call this"))
    for other, _, claim in group[1:8]:
        evidence.append(related(claim.place, f"`{other.name}` claims this"))
        evidence.append(related(other.place, "a model may call this"))
    return Assessment(
        subject=tool.name, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )


def _runs_on(graph: AgentGraph, tool: Tool, claimed: list[tuple[Site, bool]]) -> Assessment | None:
    """A claim that is also made where a branch before it told of a failure."""
    for site, _ in claimed:
        passed = list(passed_failures(graph, site))
        if passed:
            seen = [
                related(site.fn.place(s), "this tells of a failure and runs on") for s in passed[:3]
            ]
            return _hit(
                tool,
                site,
                "A tool claims success also where it failed",
                f"`{tool.name}` claims success also after it found that nothing could be done.",
                seen,
            )
    return None


def _unread(
    graph: AgentGraph, tool: Tool, fn: Fn, claimed: list[tuple[Site, bool]]
) -> Assessment | None:
    """A claim after a request or a process whose outcome is dropped."""
    for sent in unread_answers(graph, fn):
        after = next((s for s, _ in claimed if s.place.span > sent.place.span), None)
        if after is not None:
            return _hit(
                tool,
                after,
                "A tool claims success without a look at the answer",
                f"`{tool.name}` claims success whatever the call before it answered.",
                [related(sent.place, "nobody looks at what this answers")],
            )
    return None


def _hit(tool: Tool, site: Site, title: str, message: str, seen: list[CodeEvidence]) -> Assessment:
    hit = Hit(
        title=title,
        message=message,
        owner=site.fn.qualname,
        failure_path=(
            f"the model calls `{tool.name}`, and it fails",
            "the failure is passed over, and the claim of success follows",
            "the model tells the user that it was done",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"tool": tool.name, "owner": site.fn.qualname},
    )
    evidence = (
        primary(site.place, "success is claimed here on every path"),
        *seen,
        related(tool.place, "a model may call this"),
    )
    return Assessment(subject=tool.name, verdict="not-met", why=message, evidence=evidence, hit=hit)
