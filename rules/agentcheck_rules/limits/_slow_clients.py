"""Clients of models that wait for a reply as long as it takes."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Challenge,
    E,
    Hit,
    Site,
    argument,
    code_kind,
    descend,
    fine,
    has_spread,
    primary,
    related,
    string,
)
from agentcheck_rules.limits._timed import timed_clients
from agentcheck_rules.limits._waits import is_none

LOOKED = (
    "the time-out that the SDK gives its clients by default",
    "a time-out of the client and of each call",
)
SHOWN = 6


def client_assessments(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a kind of client in a file, and one a time-out that is switched off."""
    for framework in graph.frameworks:
        for kind in framework.client:
            keyword = kind.timeout_keyword
            if keyword is None:
                continue
            built = list(_built(graph, kind.names))
            off = [s for s in built if _switched_off(graph, s, keyword)]
            yield from (_off(site, keyword, framework.title) for site in off)
            rest = [s for s in built if not any(s is o for o in off)]
            endless = kind.timeout_default == "none"
            yield from _by_file(graph, rest, keyword, framework.title, endless=endless)


def _built(graph: AgentGraph, names: tuple[str, ...]) -> Iterator[Site]:
    seen = set[int]()
    for last in dict.fromkeys(n.rpartition(".")[2] for n in names):
        for site in graph.program.call_index.get(last, []):
            known = graph.resolver.dotted(site.call.func, site.fn) & set(names)
            if known and code_kind(site.fn.file.path) != "test" and id(site.expr) not in seen:
                seen.add(id(site.expr))
                yield site


def _switched_off(graph: AgentGraph, site: Site, keyword: str) -> bool:
    given = argument(site.call, keyword)
    return given is not None and is_none(graph, given, site.fn)


def _by_file(
    graph: AgentGraph, built: list[Site], keyword: str, title: str, *, endless: bool
) -> Iterator[Assessment]:
    groups: dict[str, list[Site]] = {}
    for site in built:
        groups.setdefault(site.fn.file.path, []).append(site)
    for sites in groups.values():
        owner = sites[0].fn.qualname
        here = related(sites[0].place, "the client is made here")
        left = [s for s in sites if endless and not _may_be_given(graph, s, keyword)]
        if left:
            yield _never_given(left, keyword, title)
        elif not endless:
            yield fine(owner, "met", f"{title} has a time-out by default or is given one", here)
        else:
            yield fine(owner, "met", "a time-out is given", here)


def _may_be_given(graph: AgentGraph, site: Site, keyword: str) -> bool:
    """Whether the client or a call in its file may be given a time-out, by any of its names."""
    head, _, last = keyword.rpartition(".")
    if has_spread(site.call) or (head and argument(site.call, head) is not None):
        return True
    if argument(site.call, keyword) is not None or argument(site.call, "http_client") is not None:
        return True
    calls = [c for c in graph.model_calls if c.site.fn.file.path == site.fn.file.path]
    return any(_names(e, last) for c in calls for e in descend(c.call))


def _names(expr: E.Expr, word: str) -> bool:
    if isinstance(expr, E.Call):
        return any(a.name == word for a in expr.args)
    return isinstance(expr, E.Const) and string(expr) == word


def _never_given(left: list[Site], keyword: str, title: str) -> Assessment:
    owner = left[0].fn.qualname
    times = f" {len(left)} times" if len(left) > 1 else ""
    message = f"A client of {title} is made{times} with no `{keyword}`, and has none by default."
    hit = Hit(
        title="A client of a model has no time-out",
        message=message,
        owner=owner,
        severity="low",
        confidence="medium",
        persona="pedantic",
        failure_path=_path(),
        challenge=Challenge("upheld", LOOKED),
        smallest_change=f"Give the client a finite `{keyword}`.",
        acceptance="With a provider that accepts and never answers, the call in {owner} raises "
        "within a finite time.",
        fix=timed_clients(left, keyword),
    )
    evidence = (
        primary(left[0].place, f"no `{keyword}` is given"),
        *(related(s.place, "nor here") for s in left[1:SHOWN]),
    )
    return Assessment(subject=owner, verdict="not-met", why=message, evidence=evidence, hit=hit)


def _off(site: Site, keyword: str, title: str) -> Assessment:
    owner = site.fn.qualname
    message = f"The time-out of a {title} client is switched off."
    hit = Hit(
        title="The time-out of a client of a model is switched off",
        message=message,
        owner=owner,
        failure_path=_path(),
        challenge=Challenge("upheld", LOOKED),
        smallest_change=f"Give the client a finite `{keyword}`.",
        acceptance="With a provider that accepts and never answers, the call in {owner} raises "
        "within a finite time.",
        fix=timed_clients([site], keyword),
    )
    evidence = (primary(site.place, f"`{keyword}` is None here"),)
    return Assessment(subject=owner, verdict="not-met", why=message, evidence=evidence, hit=hit)


def _path() -> tuple[str, ...]:
    return (
        "the model is asked, and the provider accepts and does not answer",
        "no time-out ends the wait",
        "the run stands still with no error",
    )
