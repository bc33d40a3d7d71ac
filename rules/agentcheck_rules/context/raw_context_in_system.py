"""What a caller or user supplies is put into the system prompt as it is.

The system prompt is what the model obeys. A name, profile or context that is put into it with no
mark around it can say anything, and the model takes it as an instruction of the operator.

Reported are parameters and context variables of a function that the framework asks for
instructions, values that are read from a person (an input field, a request), and parameters whose
name says that they hold what a user or customer supplied. A value inside a tag or fence, or made
by a call that quotes or cleans it, is met. Whether the caller checks the value first is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import AgentGraph, Assessment, Card, E, Fn, Hit, dotted, fine, lazy_re, related
from agentcheck_rules.context._put_in import CHALLENGE, PutIn, by_owner, put_in, spoken_evidence

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC603",
    topic="raw-context-in-system",
    title="Caller-supplied context stands raw in the system prompt",
    question="Is what callers supply kept apart from the instructions?",
    severity="low",
    confidence="medium",
    at_stake="Only the operator may write instructions.",
    consequence="A user's own text, stored in a name or profile, is obeyed as if the operator had "
    "written it.",
    owner="whoever builds the system prompt",
    smallest_change="Put the value into a user message, or between marks that the prompt calls "
    "data, with the marks removed from the value.",
    could_break="Prompts whose wording relied on the bare value.",
    acceptance="A context value that says to ignore the rules changes nothing that {owner} does.",
    persona="pedantic",
    tags=("security",),
)
_SUPPLIED = lazy_re(
    r"(^|_)(user|customer|visitor|caller)(_(input|query|name|info|data|message|request|context"
    r"|profile|preferences|bio|notes|text|question))?$|^(context|profile|preferences|question"
    r"|query)$",
    re.IGNORECASE,
)
_ASKED = lazy_re(
    r"(^|\.)(input|text_input|text_area|chat_input|get_json|form\.get|args\.get|query_params\.get)$"
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that puts supplied values into a system prompt."""
    found = [one for one in put_in(graph) if _supplied(graph, one)]
    for fn, ones in by_owner(found).items():
        bare = [one for one in ones if not one.fenced]
        if bare:
            yield _hit(fn, bare)
        else:
            here = related(ones[0].place, "it is fenced off, quoted or cleaned")
            yield fine(fn.qualname, "met", "what is supplied is kept apart", here)


def _supplied(graph: AgentGraph, one: PutIn) -> bool:
    origins = graph.tracer.local(one.piece.expr, one.piece.fn)
    for origin in origins:
        if origin.kind == "call" and isinstance(origin.expr, E.Call):
            if _ASKED.search(dotted(origin.expr.func) or ""):
                return True
        elif origin.kind == "param" and origin.param is not None:
            if one.prompt.dynamic is origin.fn:
                return origin.param not in ("agent", "self") and origin.param != "_"
            if _SUPPLIED.search(origin.names[-1] if origin.names else origin.param):
                return True
    return False


def _hit(fn: Fn, bare: list[PutIn]) -> Assessment:
    owner = fn.qualname
    names = ", ".join(f"`{one.written}`" for one in bare[:3])
    asked = any(one.prompt.dynamic is not None for one in bare)
    hit = Hit(
        message=f"`{owner}` puts {names} into the system prompt as it comes.",
        owner=owner,
        confidence=None if asked else "low",
        failure_path=(
            "a user's text gets into the context, for example as a name",
            f"`{owner}` writes it into the system prompt",
            "the model takes it as an instruction of the operator",
        ),
        challenge=CHALLENGE,
    )
    evidence = spoken_evidence(bare, "this goes into the system prompt as it is")
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
