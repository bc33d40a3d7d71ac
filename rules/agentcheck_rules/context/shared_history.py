"""One conversation's history is shared by all who talk to the agent.

A list in the module, in the body of a class, or as the default of a parameter exists once a
process. Where a server or a bot adds each user's messages to it and sends it to the model, what
one user wrote is part of every other user's conversation.

Reported are such lists, named like a history, that are made longer on the way of a request: in a
handler of a web server, chat or bot framework or in what it calls. A list in the body of a class
without a list of its own for each object, and a list as a parameter's default, are reported
wherever they reach a model, for there two objects or two calls are enough. A program for one
person at a terminal, and a dict with a list for each session, are near misses.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules._served import handler_of
from agentcheck_rules.context._kept_lists import (
    Kept,
    made_in,
    of_classes,
    of_defaults,
    of_modules,
)

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC613",
    topic="shared-history",
    title="One history is shared by all conversations",
    question="Does every conversation have a history of its own?",
    severity="high",
    confidence="medium",
    remedy_confidence="high",
    at_stake="What one user says must not reach another.",
    consequence="A user's messages, and what tools looked up for them, become part of other users' "
    "conversations; answers mix them up.",
    owner="whoever keeps the conversation",
    smallest_change="Keep one list for each session id, and make it where the session begins.",
    could_break="Conversations that were meant to be shared.",
    acceptance="Two sessions that talk to {owner} in turn: no request to the model holds a "
    "message of both.",
    tags=("privacy", "correctness"),
)
_LOOKED = (
    "a list for each session or user",
    "a new list for each object or call",
    "a handler that serves more than one person",
)
_SAYS = {
    "module": "this list exists once a process",
    "class": "this list belongs to the class: all its objects share it",
    "default": "this list is made once, when the function is defined",
}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a list that is shared, or that could be and is not."""
    seen: set[tuple[str, int]] = set()
    for kept in _candidates(graph):
        key = (kept.made.file, kept.made.span.line)
        if key not in seen:
            found = _assess(graph, kept)
            if found is not None:
                seen.add(key)
                yield found


def _candidates(graph: AgentGraph) -> Iterator[Kept]:
    files = [path for path in graph.program.files if code_kind(path) != "test"]
    for path in files:
        shared = made_in(graph, path)
        for fn in graph.program.functions[path][1:]:
            yield from of_modules(graph, fn, shared) if shared else ()
            yield from of_defaults(graph, fn)
    for path in files:
        for klass in graph.program.classes[path]:
            yield from of_classes(graph, klass)


def _assess(graph: AgentGraph, kept: Kept) -> Assessment | None:
    if kept.where != "module":
        return _shared(kept, None) if _asks(graph, kept.fn) else None
    handler = handler_of(graph, kept.fn)
    if not _asks(graph, kept.fn) and not (handler and _asks(graph, handler)):
        return None
    if handler is None:
        here = related(kept.made, "this list exists once a process")
        return fine(
            kept.fn.qualname, "not-applicable", "No handler for several people is seen.", here
        )
    return _shared(kept, handler)


def _asks(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a function, or one that calls it, asks a model."""
    if graph.drives.reaches(fn):
        return True
    klass = graph.program.owner(fn)
    mates = klass.methods.values() if klass is not None else ()
    above = (site.fn for site in graph.calls.callers(fn)[:8])
    return any(graph.drives.reaches(f) for f in (*mates, *above))


def _shared(kept: Kept, handler: Fn | None) -> Assessment:
    owner = kept.fn.qualname
    who = {
        "module": f"all users of `{handler.qualname if handler else owner}`",
        "class": "all objects of its class",
        "default": "all calls that pass no list",
    }[kept.where]
    hit = Hit(
        message=f"`{owner}` adds to `{kept.name}`, which {who} share.",
        owner=owner,
        severity=None if kept.where == "module" else "medium",
        failure_path=(
            f"one conversation adds its messages to `{kept.name}`",
            f"another one runs in the same process and shares `{kept.name}`",
            "its request to the model holds the first one's messages",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence = [
        primary(kept.grown, f"every conversation is added to `{kept.name}` here"),
        related(kept.made, _SAYS[kept.where]),
    ]
    if handler is not None and handler is not kept.fn:
        place = handler.place(handler.facts.name_span)
        evidence.append(related(place, "requests of different people come in here"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
