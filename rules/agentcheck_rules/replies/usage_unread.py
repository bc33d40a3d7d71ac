"""What a model call cost is never read.

The provider returns the number of tokens with every reply. Dropped, nobody can add up what a run
cost, set a budget, or see that one loop spends most of the money.

Looked at is any read of the reply's usage in the function, in helpers the reply is handed to and
in callers that get the whole reply, and of the price that a gateway puts beside it. A reply that
goes whole to code that cannot be followed is answered "cannot tell"; so is one whose client is a
tracer's, or whose process has a tracer switched on.
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
    fine,
    primary,
    related,
)
from agentcheck_rules.replies._decisions import loop_functions, returned_classes
from agentcheck_rules.replies._reply import (
    Asked,
    asked_about,
    by_function,
    call_evidence,
    in_agent_loop,
    read_answer,
)

CARD = Card(
    code="AC202",
    topic="usage-unread",
    title="The tokens of a model call are never read",
    question="Is the usage that comes with every reply read somewhere?",
    severity="low",
    confidence="high",
    remedy_confidence="high",
    at_stake="What a run costs must be known before it can be limited.",
    consequence="Spend shows up on the bill and nowhere else; no budget can be enforced.",
    owner="whoever reads the reply",
    smallest_change="Add the reply's usage to a total that the result carries; ask for usage in "
    "the stream where replies are streamed.",
    could_break="Nothing; a stream that carries usage ends with a chunk that has no choices.",
    acceptance="With scripted usage numbers, the result of {owner} reports their sum.",
    tags=("spend", "observability"),
)
LOOKED = (
    "a read of the reply's usage in the function, its helpers and its callers",
    "the whole reply handed to code that may read it",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a reply whose usage is read or cannot be told, else one a function."""
    unread: list[Reply] = []
    for reply in asked_about(graph):
        if not reply.call.data.usage:
            continue
        answer = read_answer(graph, reply, "usage", "usage") or _traced(reply)
        if answer is not None:
            yield answer
        else:
            unread.append(reply)
    yield from (_unread(graph, asked) for asked in by_function(unread))


def _traced(reply: Reply) -> Assessment | None:
    """Cannot tell where a tracer records what each call of the client or the process cost."""
    if not reply.traced:
        return None
    owner = reply.call.site.fn.qualname
    return fine(owner, "cannot-tell", "a tracer sees every reply", call_evidence(reply))


def _unread(graph: AgentGraph, asked: Asked) -> Assessment:
    owner = asked.fn.qualname
    hit = Hit(
        message=f"Nothing that gets the reply of `{owner}` reads its usage.",
        owner=owner,
        persona=None if in_agent_loop(graph, asked) else "pedantic",
        failure_path=(
            f"`{owner}` asks the model and is told what it cost",
            "the reply is reduced to its content",
            "nobody can say or limit what the run spent",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner},
    )
    evidence = tuple(_evidence(graph, asked))
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)


def _evidence(graph: AgentGraph, asked: Asked) -> Iterator[CodeEvidence]:
    first, *others = asked.sites
    yield primary(first.place, "the reply of this call says what it cost")
    yield from (related(s.place, "and so does this one") for s in others[:3])
    for site in asked.reductions[:4]:
        yield related(site.place, "the reply is reduced to its content here")
    seen = set()
    for fn in loop_functions(graph, asked):
        for klass, _ in returned_classes(graph, fn):
            if klass not in seen:
                seen.add(klass)
                where = klass.file.place(klass.facts.span)
                yield related(where, "the result has no field for usage")
