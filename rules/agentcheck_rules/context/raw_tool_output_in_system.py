"""Tool output, stored memories or text from the web is put into the system prompt.

What a tool, a search or a memory returns may have been written by anybody. In the system prompt
it speaks with the operator's voice, and it stays there for every turn that follows; in a tool
result or a user message the model can still tell it from its instructions.

Reported is a value that comes from a call which by its name searches, fetches, retrieves or
recalls, from a tool of the target, or that bears the name of such a result. A value inside a tag
or fence is met. What a value holds is judged by names alone, so the finding is for the careful
reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    E,
    Fn,
    Function,
    Hit,
    descend,
    dotted,
    fine,
    lazy_re,
    related,
)
from agentcheck_rules.context._put_in import CHALLENGE, PutIn, by_owner, put_in, spoken_evidence

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC604",
    topic="raw-tool-output-in-system",
    title="Tool output or memory stands in the system prompt",
    question="Is what tools, memories and the web return kept out of the instructions?",
    severity="medium",
    confidence="medium",
    at_stake="Text that anybody can write must not speak with the operator's voice.",
    consequence="An instruction planted in a page, a document or a memory is obeyed, on this turn "
    "and on all that follow.",
    owner="whoever builds the system prompt",
    smallest_change="Put the text into a tool result or a user message, between marks that the "
    "prompt calls data.",
    could_break="Prompts whose wording relied on the text's place.",
    acceptance="A planted instruction in what {owner} retrieves changes nothing that the model "
    "does.",
    persona="pedantic",
    tags=("security",),
)
_FETCHES = lazy_re(
    r"(^|[._])(recall|retriev\w*|similarity\w*|search\w*|scrap\w*|crawl\w*|browse\w*|fetch\w*"
    r"|urlopen|get_relevant\w*|get_memor\w*|load_memor\w*|query_docs|read_page|run_tool"
    r"|execute_tool|call_tool)(\(\)|\.|$)|(^|\.)(requests|httpx)\.get",
    re.IGNORECASE,
)
_BEARS = lazy_re(
    r"(^|_)(tool_(output|result)s?|search_results?|retrieved(_\w+)?|memories|web_(text|content|page"
    r"|results?)|page_(text|content)|scraped(_\w+)?|observations?|relevant_docs)$",
    re.IGNORECASE,
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that puts such a value into a system prompt."""
    tools = {t.fn for t in graph.tools if t.fn is not None}
    found = [one for one in put_in(graph) if _untrusted(graph, one, tools)]
    for fn, ones in by_owner(found).items():
        bare = [one for one in ones if not one.fenced]
        if bare:
            yield _hit(fn, bare)
        else:
            here = related(ones[0].place, "it is fenced off, quoted or cleaned")
            yield fine(fn.qualname, "met-differently", "what is returned is fenced off", here)


def _untrusted(graph: AgentGraph, one: PutIn, tools: set[Fn]) -> bool:
    for origin in graph.tracer.local(one.piece.expr, one.piece.fn):
        if origin.kind == "param" and _BEARS.search(origin.param or ""):
            return True
        call = origin.expr if origin.kind == "call" else None
        if isinstance(call, E.Call) and _fetches(graph, call, origin.fn, tools):
            return True
    calls = (e for e in descend(one.piece.expr) if isinstance(e, E.Call))
    return any(_fetches(graph, call, one.piece.fn, tools) for call in calls)


def _fetches(graph: AgentGraph, call: E.Call, fn: Fn, tools: set[Fn]) -> bool:
    symbols = graph.resolver.of(call.func, fn)
    if any(isinstance(s, Function) and s.fn in tools for s in symbols):
        return True
    written = dotted(call.func) or ""
    return bool(_FETCHES.search(written)) and not written.startswith("re.")


def _hit(fn: Fn, bare: list[PutIn]) -> Assessment:
    owner = fn.qualname
    hit = Hit(
        message=f"`{owner}` puts what was retrieved (`{bare[0].written}`) into the system prompt.",
        owner=owner,
        failure_path=(
            "somebody plants an instruction in a page, a document or a memory",
            f"`{owner}` retrieves it and writes it into the system prompt",
            "the model obeys it as an instruction of the operator",
        ),
        challenge=CHALLENGE,
    )
    evidence = spoken_evidence(bare, "retrieved text goes into the system prompt here")
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
