"""A history is cut by number, in the middle of a tool call and its result.

A tool result is only valid behind the assistant message that asked for it; the providers refuse
a request that begins with a result whose call is gone. A cut by number of messages falls between
the two sooner or later, and from then on every request of the session is refused.

Reported are cuts of a list that is seen to hold tool results and is sent to a model, by a count,
in a function that neither compares roles or types nor calls something that keeps pairs together.
Lists in which no tool result is seen may be cut anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    Place,
    code_kind,
    fine,
    lazy_re,
    primary,
    related,
)
from agentcheck_rules.context._cuts import Cut, cuts
from agentcheck_rules.context._held import answers_calls, messages_of, reaches_model, tested

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC610",
    topic="history-cut-splits-calls",
    title="Cutting the history can part a tool result from its call",
    question="Does every cut of a history keep tool calls and their results together?",
    severity="medium",
    confidence="medium",
    at_stake="A long session must stay valid for the provider.",
    consequence="The provider refuses the request because a result has no call, and every further "
    "turn of the session fails the same way.",
    owner="whoever cuts the history",
    smallest_change="After the cut, drop messages from the front until the first is a user "
    "message that answers no tool call.",
    could_break="Now and then a few messages more are dropped.",
    acceptance="A scripted session with a tool call on every turn runs past the limit of {owner}, "
    "and every request has the call of each result in it.",
    tags=("liveness", "correctness"),
)
_CARES = lazy_re(
    r"^(role|type|tool|user|assistant|tool_calls?|tool_call_id|tool_result|tool_use|"
    r"function_call(_output)?|HumanMessage|ToolMessage|AIMessage)$"
    r"|pair|orphan|boundar|align|repair|sanitiz|valid|trim_messages|dangling",
    re.IGNORECASE,
)
_LOOKED = (
    "a comparison of roles or types in the function that cuts",
    "a call that repairs what is left",
    "whether the list holds tool results at all",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a list with tool results that a function cuts."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test":
            continue
        seen: set[str] = set()
        for cut in cuts(graph, fn):
            if cut.source not in seen:
                found = _assess(graph, cut)
                if found is not None:
                    seen.add(cut.source)
                    yield found


def _assess(graph: AgentGraph, cut: Cut) -> Assessment | None:
    messages = messages_of(graph, cut)
    held = next(((m, f) for m, f in messages if answers_calls(graph, m, f)), None)
    if held is None or not reaches_model(graph, cut):
        return None
    cares = tested(graph, cut.fn, _CARES)
    if cares is not None:
        here = related(cut.place, f"`{cut.source}` is cut here")
        there = related(cares.place, "the function looks at what the messages are")
        return fine(cut.fn.qualname, "met-differently", "It looks at what it cuts.", here, there)
    return _split(cut, held[1].place(held[0].span), held[1])


def _split(cut: Cut, result: Place, host: Fn) -> Assessment:
    owner = cut.fn.qualname
    hit = Hit(
        message=f"`{owner}` cuts `{cut.source}` by number, though it holds tool results.",
        owner=owner,
        failure_path=(
            f"`{host.qualname}` adds a tool call and its result to `{cut.source}`",
            f"`{owner}` cuts between the two",
            "the next request begins with a result that has no call",
            "the provider refuses it, and every request after it",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence = (
        primary(cut.place, "the cut may fall between a tool call and its result"),
        related(result, "tool results stand in this list"),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
