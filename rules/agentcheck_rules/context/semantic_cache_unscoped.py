"""A cache gives one user's answer to another, or keeps answers for good.

A cache in front of a model saves the calls that were made before. Its key has to hold all that
the answer depends on: who asked, in which tenant and conversation, with which filters, of which
model. Keyed by the prompt alone, let alone by its likeness to another prompt, it hands the answer
for one person to the next who asks the same.

Compared are the parameters that go into the model call with those that go into the key; what the
call is given and the key lacks is the fault. What a key function reads elsewhere is not seen. Two
more kinds are told to pedantic readers: a ready-made semantic cache that is switched on for the
whole process without a field to filter by, and a plain dict of answers in a server that nothing
ever empties. A cache of a function that depends on nothing but its arguments is none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    E,
    Hit,
    Site,
    code_kind,
    fine,
    last_name,
    lazy_re,
    primary,
    related,
)
from agentcheck_rules._served import serves
from agentcheck_rules.context._cache_kept import READY, emptied, is_ready_made, made_here
from agentcheck_rules.context._caches import Cached, Inputs, cached_answers

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC608",
    topic="semantic-cache-unscoped",
    title="A cached answer is given to whoever asks the same",
    question="Does the key of every answer cache hold all that the answer depends on?",
    severity="medium",
    confidence="medium",
    at_stake="What was answered to one person must not be shown to another.",
    consequence="A second user is given the first user's answer, with what it says of the first "
    "user's data; a wrong answer is repeated for as long as it is kept.",
    owner="whoever keeps the cache",
    smallest_change="Put the user or tenant, the filters and the model into the key, and give "
    "every entry a time to live.",
    could_break="Fewer hits: answers are no longer shared between users.",
    acceptance="Two users who ask {owner} the same question reach the model twice, and each is "
    "given their own answer.",
    tags=("privacy", "correctness"),
)
_WHOSE = lazy_re(
    r"(^|[_.'])(user|tenant|customer|account|org(anization)?|workspace|session_id|conversation|"
    r"thread|chat|profile|history|chat_history|messages|filters?|permissions|roles?|scopes?|"
    r"documents|docs)(_?ids?|_name|_info|_profile|_context|_filters?|_history)?$",
    re.IGNORECASE,
)
_SETTING = lazy_re(
    r"(^|[_.'])(model(_(name|id))?|temperature|system_(prompt|message)|instructions|tools|top_p|"
    r"language|locale)$"
)
_FILTERS = frozenset({"filterable_fields", "namespace", "pre_filter", "partition", "scope"})
_LOOKED = (
    "the missing value in the key, or among the arguments of the look-up",
    "a cache of its own for each user",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment an answer cache of a function, one a ready-made semantic cache."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) != "test" and fn.index != 0:
            for cached in cached_answers(graph, fn):
                yield _assess(graph, cached)
    for name in sorted(READY):
        for site in graph.program.call_index.get(name, ()):
            if code_kind(site.fn.file.path) != "test" and is_ready_made(graph, site):
                yield _ready_made(site)


def _assess(graph: AgentGraph, cached: Cached) -> Assessment:
    missing = _missing(graph, cached)
    whose = [name for name in missing if _WHOSE.search(name)]
    if missing:
        return _unscoped(cached, whose or missing, certain=bool(whose))
    made = made_here(graph, cached)
    if made is not None and serves(cached.fn) and not emptied(graph, cached):
        return _kept_for_good(cached)
    here = related(cached.lookup.place, "the key holds what the call is given")
    return fine(cached.fn.qualname, "met", "The key holds what the answer depends on.", here)


def _missing(graph: AgentGraph, cached: Cached) -> list[str]:
    """The parameters that the model call is given and the key is made without."""
    inputs, call = Inputs(graph, cached.fn), cached.asks.call
    key = set[str]().union(*(inputs.of(k) for k in cached.keys))
    given = set[str]().union(*(inputs.of(a.value) for a in call.args))
    if isinstance(call.func, E.Attr):
        own = {p.name for p in cached.fn.facts.params}
        given |= {s for s in inputs.of(call.func.value) if s not in own}
    held = key | {k.rpartition(".")[0] for k in key}
    absent = [g for g in sorted(given) if g not in held and not g.startswith(("self", "cls"))]
    absent = [g for g in absent if not any(g.startswith((f"{k}.", f"{k}[")) for k in key)]
    return [g for g in absent if _WHOSE.search(g) or _SETTING.search(g)]


def _unscoped(cached: Cached, missing: list[str], *, certain: bool) -> Assessment:
    owner, names = cached.fn.qualname, ", ".join(f"`{name}`" for name in missing[:3])
    hit = Hit(
        title=None if certain else "A cached answer is given whatever the settings of the call",
        message=f"`{owner}` answers from `{cached.cache}` by a key without {names}, which the "
        "model call is given.",
        owner=owner,
        severity=None if certain else "low",
        persona="regular" if certain else "pedantic",
        failure_path=(
            f"`{owner}` is called, and its answer is kept under a key without {names}",
            f"it is called again with another value of {names} and the same prompt",
            "the kept answer is given, and no model is asked",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence = (
        primary(cached.lookup.place, f"the look-up knows nothing of {names}"),
        related(cached.asks.place, f"the answer depends on {names}"),
        related(cached.store.place, "the answer is kept for everybody"),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)


def _kept_for_good(cached: Cached) -> Assessment:
    owner = cached.fn.qualname
    hit = Hit(
        title="Answers are kept without expiry or bound",
        message=f"`{owner}` keeps answers in `{cached.cache}`, and nothing ever removes one.",
        owner=owner,
        severity="low",
        confidence="medium",
        persona="pedantic",
        failure_path=(
            f"every new prompt adds an entry to `{cached.cache}`",
            "nothing counts the entries or looks at their age",
            "the process grows until it ends, and a wrong answer is repeated until then",
        ),
        challenge=Challenge(
            "upheld", ("a pop, clear or delete", "a look at the number of entries")
        ),
        consequence="The process grows without end, and what was wrong or is out of date is "
        "repeated until it restarts.",
        smallest_change="Use a cache with a size and a time to live.",
        acceptance="After many prompts, the cache of {owner} holds no more than its size.",
        names={"owner": owner},
    )
    evidence = (
        primary(cached.store.place, "this entry stays for good"),
        related(cached.lookup.place, "and is given again here"),
    )
    return Assessment(subject=owner, verdict="partly", why=hit.message, evidence=evidence, hit=hit)


def _ready_made(site: Site) -> Assessment:
    owner, name = site.fn.qualname, last_name(site.call.func)
    filters = next((a for a in site.call.args if a.name in _FILTERS), None)
    if filters is not None:
        here = related(site.place, f"it is told `{filters.name}`")
        return fine(owner, "cannot-tell", "Whether each look-up filters.", here)
    hit = Hit(
        title="A semantic cache is shared by all who ask",
        message=f"`{owner}` switches on `{name}`, which answers by likeness of prompts alone.",
        owner=owner,
        persona="pedantic",
        failure_path=(
            "one user's prompt and answer are kept with the prompt's embedding",
            "another user's prompt is near enough",
            "the first user's answer is given",
        ),
        challenge=Challenge("weakened", ("a field or namespace to filter by",)),
        names={"owner": owner},
    )
    evidence = (primary(site.place, "nothing here tells users or tenants apart"),)
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
