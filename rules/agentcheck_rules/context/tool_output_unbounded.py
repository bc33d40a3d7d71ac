"""A tool gives the model the whole of something that may have any size.

One log file, one page or one `SELECT *` fills the context window: the request is refused, or
paid for on every turn that follows, and what mattered is lost in it. A tool should give a bounded
part and say how to get the next.

Looked at is what a tool returns: a file that is read to its end, the body of an HTTP answer, what
a command wrote, all rows of a query. A slice, a comparison of a length, a parameter or a call
whose name says that it shortens or pages, in the tool or where its results are taken, is met, and
so is a query with a limit. Where the model itself chooses the file or the command the finding
is for every reader; otherwise it is for the careful one, for the size may be known, and for a
page of a fixed host for auditors only.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    E,
    Fn,
    Hit,
    Persona,
    Pieces,
    Tool,
    code_kind,
    find_dispatches,
    fine,
    primary,
    related,
)
from agentcheck_rules.context._returned import returned_values
from agentcheck_rules.context._sources import SAYS, Source, chooses, is_cut, source_of

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC612",
    topic="tool-output-unbounded",
    title="A tool returns text of any size",
    question="Is what each tool gives the model bounded in size?",
    severity="low",
    confidence="medium",
    remedy_confidence="high",
    at_stake="One tool call must not fill the model's context.",
    consequence="A large file, page or output makes the next request fail or is paid for on every "
    "turn that follows.",
    owner="whoever writes the tool",
    smallest_change="Return a part of a fixed size, say that it was cut, and give the tool a "
    "parameter for where to go on.",
    could_break="Answers that needed what lies behind the cut, until the model asks for it.",
    acceptance="With a source of a million characters, what {tool} returns stays below a fixed "
    "size and says that it was cut.",
    persona="pedantic",
    tags=("spend", "liveness"),
)
_LOOKED = (
    "a slice or a comparison of a length in the tool",
    "a name that says it shortens or pages",
    "a cut where the results of tools are taken",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a tool that returns such a text."""
    cutting = [d.fn for d in find_dispatches(graph) if is_cut(graph, d.fn)]
    maker, seen = Pieces(graph.tracer, up=0), set[Fn]()
    for tool in graph.tools:
        fn = tool.fn
        if fn is None or fn in seen or code_kind(fn.file.path) == "test":
            continue
        seen.add(fn)
        source = next(_sources(graph, maker, fn), None)
        if source is not None:
            cut_outside = any(graph.program.together(fn, taker) for taker in cutting)
            yield _assess(graph, tool, fn, source, cut_outside=cut_outside)


def _sources(graph: AgentGraph, maker: Pieces, fn: Fn) -> Iterator[Source]:
    for result in graph.tracer.results(fn):
        for part in returned_values(graph, result, fn):
            for piece in maker.of(part, fn):
                if piece.text is None:
                    yield from source_of(graph, piece.expr, piece.fn)


def _assess(
    graph: AgentGraph, tool: Tool, fn: Fn, source: Source, *, cut_outside: bool
) -> Assessment:
    here = related(source.place, SAYS[source.kind])
    if is_cut(graph, fn) or (source.fn is not fn and is_cut(graph, source.fn)):
        return fine(tool.name, "met", "Something in it limits the size.", here)
    if cut_outside:
        return fine(tool.name, "cannot-tell", "Results may be cut where they are taken.", here)
    return _unbounded(tool, fn, source, chosen=chooses(graph, source, fn))


def _persona(fn: Fn, source: Source, *, chosen: bool) -> Persona:
    """A page of a fixed host mostly has a known size; a file that the model names has none."""
    if source.kind == "page":
        free = {p.name for p in fn.facts.params}
        whole = any(isinstance(key, E.Name) and key.id in free for key in source.key[:2])
        return "pedantic" if whole else "auditor"
    return "regular" if chosen and source.kind in ("file", "command") else "pedantic"


def _unbounded(tool: Tool, fn: Fn, source: Source, *, chosen: bool) -> Assessment:
    what = SAYS[source.kind]
    hit = Hit(
        message=f"The tool `{tool.name}` returns {what}, however long it is.",
        owner=fn.qualname,
        persona=_persona(fn, source, chosen=chosen),
        failure_path=(
            f"the model calls `{tool.name}`",
            f"it returns {what}",
            "all of it stands in the conversation on this turn and on all that follow",
        ),
        challenge=Challenge("upheld" if chosen else "weakened", _LOOKED),
        names={"tool": tool.name, "owner": fn.qualname},
    )
    evidence = [primary(source.place, f"{what} is taken here")]
    if tool.place.span.line != source.place.span.line:
        evidence.append(related(tool.place, "and returned by this tool"))
    return Assessment(
        subject=tool.name, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
