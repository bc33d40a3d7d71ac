"""What a tool returned is given to the model as if the user had said it.

The model follows what the user says. A tool's result, a page, a document or a mail may hold
anybody's text; in the user's message, with nothing to mark it off, an instruction in it is the
user's instruction. In the API's own tool message the model can tell it for what it is.

Reported is the result of a tool call of the model that is answered in a message of the user,
where the model was given its tools through the API, so that there is a place for it. Told to
pedantic readers are the same in a protocol of the program's own, and pages or documents that are
put into the middle of a request with no tag, quote, label or line before them. A document as the
whole of a message, behind a label or in a tag is none of it; what stands in the system prompt has
a rule of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Dispatch,
    Fn,
    Hit,
    argument,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.context._user_texts import (
    UserText,
    dispatched,
    fetched,
    result_of,
    user_texts,
)

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC611",
    topic="tool-output-as-instructions",
    title="A tool's result is given to the model as the user's words",
    question="Can the model tell what tools return from what the user says?",
    severity="medium",
    confidence="medium",
    at_stake="Text that anybody can write must not speak with the user's voice.",
    consequence="An instruction planted in a page, a document or a record is followed as if the "
    "user had given it.",
    owner="whoever builds the messages",
    smallest_change="Answer the tool call in the API's own tool message; put other text between "
    "marks that the instructions call data.",
    could_break="Prompts whose wording relied on the text's place.",
    acceptance="A scripted tool whose result says to call another tool: {owner} passes it on as a "
    "tool result, or between marks.",
    tags=("security",),
)
_LOOKED = (
    "an id that pairs the message with its call",
    "a tag, fence, quote, label or line before the value",
    "whether the model was given tools through the API",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that puts such text into a message of the user."""
    runs, seen = dispatched(graph), set[Fn]()
    for text in user_texts(graph):
        if text.fn in seen or code_kind(text.fn.file.path) == "test":
            continue
        found = _assess(graph, text, result_of(graph, text, runs))
        if found is not None:
            seen.add(text.fn)
            yield found


def _assess(graph: AgentGraph, text: UserText, run: Dispatch | None) -> Assessment | None:
    owner = text.fn.qualname
    if run is not None:
        native = _native(graph, text.fn)
        if text.marked and not native:
            here = related(text.place, "a label or mark stands before it")
            return fine(owner, "met-differently", "The result is marked off.", here)
        return _as_user(text, run, native=native)
    if text.alone or not fetched(graph, text):
        return None
    if text.marked:
        here = related(text.place, "a label or mark stands before it")
        return fine(owner, "met", "What was fetched is marked off.", here)
    return _in_the_middle(text)


def _native(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a model call of the file is given tools through the API."""
    return any(
        argument(call.call, call.data.tools_keyword) is not None
        for call in graph.model_calls
        if call.data.tools_keyword and call.site.fn.file is fn.file
    )


def _as_user(text: UserText, run: Dispatch, *, native: bool) -> Assessment:
    owner = text.fn.qualname
    hit = Hit(
        message=f"`{owner}` answers a tool call of the model in a message of the user.",
        owner=owner,
        confidence=None if native else "low",
        persona="regular" if native else "pedantic",
        failure_path=(
            "the model calls a tool that reads what somebody else wrote",
            f"`{owner}` gives the result to the model as a message of the user",
            "an instruction in it is followed as the user's own",
        ),
        challenge=Challenge("upheld" if native else "weakened", _LOOKED),
        names={"owner": owner},
    )
    evidence = (
        primary(text.place, "the tool's result speaks for the user here"),
        related(run.site.place, "the tool is run here"),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)


def _in_the_middle(text: UserText) -> Assessment:
    owner = text.fn.qualname
    hit = Hit(
        title="Fetched text stands unmarked in the user's request",
        message=f"`{owner}` puts `{text.written}` into a request with no mark around it.",
        owner=owner,
        severity="low",
        confidence="low",
        persona="pedantic",
        failure_path=(
            "somebody plants an instruction in what is fetched",
            f"`{owner}` puts it into the middle of the request",
            "the model cannot tell where the request ends and the text begins",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence = (primary(text.place, "fetched text goes in here, with no mark before it"),)
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
