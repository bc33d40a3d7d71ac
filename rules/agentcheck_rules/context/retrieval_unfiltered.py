"""Only the best hit of a search is passed on, however far from the query, and without its source.

A store of vectors always has a nearest entry. For a question that it knows nothing of, that entry
is about something else, and the model is told that it is the answer. One hit is also one chance:
when the right text comes second, nobody sees it. And without the source neither the model nor the
user can check what is said.

Looked at is what a function does with a search of the known stores: the first hit alone is taken,
or asked for; nothing in it compares a score, a distance or a threshold; and nothing that it
returns or writes into a text names a source.
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
    Place,
    Site,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.context._retrieval import cut_off, first_only, names_source, searches

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC607",
    topic="retrieval-unfiltered",
    title="The nearest hit is passed on, however far it is, without its source",
    question="Is what a search finds cut off by relevance and given with its source?",
    severity="low",
    confidence="medium",
    persona="pedantic",
    at_stake="What the model is given as knowledge must be about the question.",
    consequence="A question outside the store is answered from a text about something else, and "
    "nobody can see where the answer came from.",
    owner="whoever owns the retrieval",
    smallest_change="Drop hits below a score that was measured, pass on the best few, each with "
    "its source, and say so when none is left.",
    could_break="Questions with only weak hits now get no text.",
    acceptance="A query with no good hit gives none in {owner}; a result carries its source.",
    tags=("quality",),
)
_LOOKED = (
    "a score, a distance or a threshold that is looked at",
    "more than one hit passed on",
    "a source in what is returned",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that takes the first hit of a search."""
    found = [s for s in searches(graph) if code_kind(s.fn.file.path) != "test"]
    if not found:
        return
    by_call = {id(site.expr): site for site in found}
    taken: set[int] = set()
    files = {f for s in found for f in graph.program.files if _near(graph, f, s)}
    for path in sorted(files):
        for fn in graph.program.functions[path]:
            for place, search in first_only(graph, fn, by_call):
                taken.add(id(search.expr))
                yield _assess(graph, fn, place, search)
                break
    for site in found:
        if id(site.expr) not in taken:
            here = related(site.place, "more than its first hit is used")
            yield fine(site.fn.qualname, "met", "Not only the first hit is passed on.", here)


def _near(graph: AgentGraph, path: str, search: Site) -> bool:
    """Whether a file outside tests may use what a search gives back."""
    return code_kind(path) != "test" and (
        path == search.fn.file.path
        or search.fn.file.path in graph.program.modules.imported_by(path)
    )


def _assess(graph: AgentGraph, fn: Fn, place: Site, search: Site) -> Assessment:
    owner = fn.qualname
    asked = related(search.place, "the store is searched here")
    cut = cut_off(graph, list({fn: None, search.fn: None}))
    source = names_source(graph, fn)
    if cut is not None:
        near = related(cut.place, "how near a hit is is looked at here")
        return fine(owner, "met-differently", "Hits that are too far can be told.", near, asked)
    if source is not None:
        named = related(source.place, "the source is passed on here")
        return fine(owner, "met-differently", "The hit comes with its source.", named, asked)
    hit = Hit(
        message=f"`{owner}` passes on the first hit alone, at any distance and without a source.",
        owner=owner,
        failure_path=(
            "the question is about something that the store does not hold",
            f"`{owner}` takes the nearest entry all the same",
            "the model answers from it as if it were about the question",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence = [primary(place.place, "only this hit is used")]
    text = _passed_on(graph, fn, place)
    if text is not None:
        evidence.append(related(text, "and this is all that is passed on of it"))
    if search is not place:
        evidence.append(asked)
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )


def _passed_on(graph: AgentGraph, fn: Fn, taken: Site) -> Place | None:
    """The text that is made of a hit behind the place where it is taken."""
    texts = [s for s in graph.program.sites(fn) if isinstance(s.expr, E.Template)]
    behind = [s for s in texts if s.expr.span.line > taken.expr.span.line]
    return behind[0].place if behind else None
