"""A history of bare dicts carries fields back to the provider that its protocol does not know.

Who spoke, when, and what it cost are handy beside a message. Kept in the message itself they are
sent with the next request. One provider ignores them, another refuses the whole request, and what
was meant for the program is read by the model's host. A list of bare dicts lets it happen; a
class of the program's own, turned into the provider's shape before each call, does not.

Looked at are the lists that go whole into a provider's call, through helpers as well, and what is
added to them: dicts with a role, and replies that get a field of the program's own. A list that is
rebuilt before the call, and a field that is taken out again, are in order.
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
    ModelCall,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.context._fields import Extra, adds_to, extras, known_to, untyped_fields
from agentcheck_rules.context._sent_whole import Sent, is_removed

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC606",
    topic="untyped-history",
    title="The history sends fields that the provider's protocol does not know",
    question="Do the messages that are sent hold only fields of the provider's protocol?",
    severity="low",
    confidence="medium",
    persona="pedantic",
    at_stake="A conversation must stay valid for every provider and release it is sent to.",
    consequence="A provider that checks its input refuses the request, and with it the rest of the "
    "session; one that does not is told what was meant for the program.",
    owner="whoever keeps the conversation",
    smallest_change="Keep such fields beside the messages, and build what is sent from the fields "
    "of the protocol.",
    could_break="Code that reads the field from the messages.",
    acceptance="The messages that a scripted model gets from {owner} hold only fields of the "
    "protocol.",
    tags=("robustness", "privacy"),
)
_LOOKED = (
    "a list that is rebuilt before the call",
    "the field taken out again before it is sent",
    "a class of the program's own for messages",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that adds to a history which is sent whole."""
    sent = Sent(graph)
    done: set[tuple[Fn, str]] = set()
    for fn in list(graph.drives.sites):
        if code_kind(fn.file.path) == "test":
            continue
        for history, call in sent.slots(fn).items():
            for adder in _adders(graph, fn, history):
                if (adder, history) not in done:
                    done.add((adder, history))
                    yield from _assess(graph, adder, history, call)


def _adders(graph: AgentGraph, fn: Fn, history: str) -> list[Fn]:
    """The function, and for a history in the object the other methods of its class."""
    klass = graph.program.self_class(fn) if history.startswith("self.") else None
    methods = klass.methods.values() if klass is not None else ()
    return list(dict.fromkeys((fn, *methods)))


def _assess(graph: AgentGraph, fn: Fn, history: str, call: ModelCall) -> Iterator[Assessment]:
    owner, goes = fn.qualname, related(call.site.place, "this sends the history as it is")
    found = list(dict.fromkeys(extras(graph, fn, history, known_to(call.framework))))
    kept = [e for e in found if not is_removed(graph, fn, e.key, {e.holder, history})]
    if kept:
        yield _hit(graph, fn, kept, goes)
    elif found:
        here = related(found[0].place, "a field of the program's own is set")
        yield fine(owner, "met-differently", "The field is taken out again.", here, goes)
    elif adds_to(graph, fn, history):
        yield fine(owner, "met", "Only fields of the protocol are added.", goes)


def _hit(graph: AgentGraph, fn: Fn, found: list[Extra], goes: CodeEvidence) -> Assessment:
    owner = fn.qualname
    keys = ", ".join(f"`{key}`" for key in dict.fromkeys(e.key for e in found))
    hit = Hit(
        message=f"`{owner}` adds {keys} to messages that go back to the provider.",
        owner=owner,
        failure_path=(
            f"`{owner}` puts {keys} on a message of the history",
            "the next turn sends the history as it is",
            "a provider that checks its input refuses the request",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    first, *others = found
    evidence = [primary(first.place, f"the protocol has no `{first.key}` in a message")]
    evidence += [related(e.place, f"nor `{e.key}`") for e in others[:4]]
    evidence.append(goes)
    for klass, place in list(dict.fromkeys(untyped_fields(graph, fn)))[:2]:
        evidence.append(related(place, f"`{klass.name}` says nothing of what a message holds"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
