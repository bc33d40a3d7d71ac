"""A history that is cut at its old end loses its system message.

The system message is the first one. `messages = messages[-20:]`, `messages.pop(0)` or a deque with
a limit throw away the oldest messages, and so, once the conversation is long enough, the
instructions, before anything else. From then on the model answers without its rules.

Reported are cuts of a list that is seen to hold a system message and is sent to a model, where
the function that cuts neither puts one back in front nor looks at roles. A list that holds no
system message, because the instructions go to the model beside it, may be cut so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    E,
    Fn,
    Hit,
    Place,
    code_kind,
    descend,
    fine,
    lazy_re,
    primary,
    related,
)
from agentcheck_rules.context._cuts import Cut, cuts, dotted_slot, is_number, old_end
from agentcheck_rules.context._held import is_system, messages_of, reaches_model, tested

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC609",
    topic="compaction-drops-system",
    title="Cutting the history drops the system message",
    question="Does every cut of a history keep the system message?",
    severity="high",
    confidence="medium",
    remedy_confidence="high",
    at_stake="The model must have its instructions on every turn.",
    consequence="In a long session the rules, the persona and the limits set in the system message "
    "are gone, and nothing says so.",
    owner="whoever cuts the history",
    smallest_change="Keep the system message apart and put it in front of what is left: "
    "`[messages[0], *messages[1:][-n:]]`.",
    could_break="The list holds one message more than its limit.",
    acceptance="After more turns than the limit of {owner}, the request to the model still begins "
    "with the system message.",
    tags=("correctness", "security"),
)
_CARES = lazy_re(r"^(system|developer|role|SystemMessage)$|system|pinned|keep_first", re.I)
_LOOKED = (
    "a system message that is put back in front",
    "a look at roles in the function that cuts",
    "instructions that go to the model beside the list",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a list that a function cuts, where it holds a system message."""
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
    held = next(((m, f) for m, f in messages_of(graph, cut) if is_system(m)), None)
    if held is None or not reaches_model(graph, cut):
        return None
    owner, system = cut.fn.qualname, held[1].place(held[0].span)
    here = related(cut.place, f"`{cut.source}` is cut here")
    cares = tested(graph, cut.fn, _CARES)
    if cares is not None:
        there = related(cares.place, "it looks at the system message or at roles")
        return fine(owner, "met", "It looks at what it cuts.", here, there)
    back = _put_back(graph, cut)
    if back is not None:
        there = related(back, "something is put in front again")
        return fine(owner, "met", "The first message is put back.", here, there)
    return _dropped(cut, system, held[1])


def _put_back(graph: AgentGraph, cut: Cut) -> Place | None:
    """`name.insert(0, x)`, `[x] + name`, `[x, *name]` in the function that cuts."""
    for site in graph.program.sites(cut.fn):
        match site.expr:
            case E.Call(func=E.Attr(attr="insert" | "appendleft", value=base), args=args):
                if dotted_slot(base) == cut.name and args and site.at is not cut.at:
                    front = len(args) < 2 or is_number(args[0].value, 0)
                    if front and site.place.span.line > cut.place.span.line:
                        return site.place
            case E.Binary(op="+", left=left, right=right):
                if _is_rest(right, cut) and not _is_rest(left, cut):
                    return site.place
            case E.Items(items=(first, *others)) if others and not isinstance(first, E.Star):
                if any(isinstance(o, E.Star) and _is_rest(o.value, cut) for o in others):
                    return site.place
            case _:
                continue
    return None


def _is_rest(expr: E.Expr, cut: Cut) -> bool:
    return any(dotted_slot(e) == cut.name for e in descend(expr)) or old_end(expr) == cut.source


def _dropped(cut: Cut, system: Place, host: Fn) -> Assessment:
    owner = cut.fn.qualname
    hit = Hit(
        message=f"`{owner}` cuts `{cut.source}` at its old end, where the system message stands.",
        owner=owner,
        failure_path=(
            f"`{host.qualname}` puts the system message into `{cut.source}`",
            "the conversation grows past the limit",
            f"`{owner}` throws the oldest messages away, the system message first",
            "the model is asked without its instructions",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence: list[CodeEvidence] = [primary(cut.place, "only the newest messages are left")]
    evidence.append(related(system, "the system message is in this list"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
