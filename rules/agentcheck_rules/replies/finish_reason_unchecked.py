"""A reply is used without looking at why the model stopped.

A reply that was cut at the token limit, or held back by a content filter, has the same shape as a
finished one. Read only for its content, half a sentence passes for the answer and half a tool
call for a whole one; parsing what was cut then fails far from the cause.

Looked at is any read of the reply's finish reason (`finish_reason`, `stop_reason`, `status`) in
the function, in helpers the reply is handed to, and in callers that get the whole reply. A log
line that tells the reason counts as a read. A reply that is handed on whole, or with all that its
reason is in, to code that cannot be followed is answered "cannot tell"; not so one that is only
returned at the end of a loop which ran its tool calls. Replies of clients that give an object of
another class (`response_model=`, structured output) are not asked about, nor are calls that raise
by themselves when the reply was cut.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Hit,
    Reply,
    primary,
    related,
)
from agentcheck_rules.replies._decisions import decisions, result_types
from agentcheck_rules.replies._finish_check import finish_check
from agentcheck_rules.replies._reply import (
    Asked,
    asked_about,
    by_function,
    in_agent_loop,
    read_answer,
)
from agentcheck_rules.replies._run_finish_reason_unchecked import check_run, usual_run

__all__ = ["CARD", "check", "check_run", "usual_run"]

CARD = Card(
    code="AC201",
    topic="finish-reason-unchecked",
    title="The reply's finish reason is never read",
    question="Is every reply's finish reason looked at before its content is used?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="A cut-off or filtered reply must not pass for a finished one.",
    consequence="Truncated answers are shown as complete and truncated tool calls are run; the "
    "result does not say why the run stopped.",
    owner="whoever reads the reply",
    smallest_change="Read the finish reason beside the content; treat a cut or filtered reply as "
    "its own outcome, and put the reason on the result.",
    could_break="Callers that took cut replies for answers now see a reason or an error.",
    acceptance="A scripted reply that was cut at the token limit, or filtered, gives a result of "
    "{owner} whose stop reason says so; a normal end says so too.",
    tags=("correctness",),
)
LOOKED = (
    "a read of the finish reason in the function, its helpers and its callers",
    "the whole reply handed to code that may read it",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a reply whose finish reason is read or cannot be told, else one a function."""
    unread: list[Reply] = []
    for reply in asked_about(graph):
        if not reply.call.data.finish:
            continue
        answer = read_answer(graph, reply, "finish", "finish reason")
        if answer is not None:
            yield answer
        else:
            unread.append(reply)
    yield from (_unread(graph, asked) for asked in by_function(unread))


def _unread(graph: AgentGraph, asked: Asked) -> Assessment:
    owner, user = asked.fn.qualname, asked.reductions[0].fn
    name = asked.replies[0].call.data.finish[0].rpartition(".")[2].removesuffix("[]")
    grave = any(r.takes_tool_calls() for r in asked.replies) or in_agent_loop(graph, asked)
    hit = Hit(
        message=f"`{user.qualname}` takes the content of the reply and never reads `{name}`.",
        owner=user.qualname,
        severity=None if grave else "low",
        persona=None if grave else "pedantic",
        failure_path=(
            f"`{owner}` asks the model",
            "the reply is cut at the token limit or held back by a filter",
            f"its content is used although `{name}` says it is not whole",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": user.qualname},
        fix=finish_check(graph, asked),
    )
    evidence = tuple(_evidence(graph, asked, name, grave=grave))
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)


def _evidence(graph: AgentGraph, asked: Asked, name: str, *, grave: bool) -> Iterator[CodeEvidence]:
    first, *others = asked.reductions
    yield primary(first.place, f"the content is taken, `{name}` is not")
    yield from (related(s.place, "the content is taken here too") for s in others[:5])
    yield from (related(s.place, "the model is asked here") for s in asked.sites[:3])
    if grave:
        yield from decisions(graph, asked)
        yield from result_types(graph, asked, name)
