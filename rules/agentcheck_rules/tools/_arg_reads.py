"""Keys that code reads from a model's arguments as if they had to be there."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Challenge,
    E,
    Fn,
    Hit,
    Protection,
    Site,
    argument_reads,
    primary,
    protection,
    related,
    string,
)
from agentcheck_rules.tools._dispatch import looked_in, outside_tests

ERRORS = ("KeyError", "LookupError", "TypeError")


def unguarded_reads(graph: AgentGraph, known: set[Fn]) -> Iterator[Assessment]:
    """One assessment a function that reads such a key unguarded; those in `known` are left out."""
    open_ones: dict[Fn, list[tuple[Site, Protection]]] = {}
    for site in outside_tests(argument_reads(graph)):
        if site.fn in known or _tested(graph, site) or _is_strict(site.fn):
            continue
        found = protection(graph, site, ERRORS)
        if found.open:
            open_ones.setdefault(site.fn, []).append((site, found))
    yield from (_unguarded(group) for group in open_ones.values())


def _tested(graph: AgentGraph, site: Site) -> bool:
    """Whether the function tests that the key is there."""
    key = _key(site)
    return any(
        isinstance(s.expr, E.Compare)
        and string(s.expr.left) == key
        and s.expr.ops[0] in ("in", "not in")
        for s in graph.program.sites(site.fn)
    )


def _is_strict(fn: Fn) -> bool:
    """Whether the file asks for arguments that keep to their schema: `"strict": True`."""
    return any("strict" in line and "True" in line for line in fn.file.lines)


def _key(site: Site) -> str | None:
    return string(site.expr.index) if isinstance(site.expr, E.Index) else None


def _unguarded(group: list[tuple[Site, Protection]]) -> Assessment:
    site, found = group[0]
    owner, key = site.fn.qualname, _key(site)
    hit = Hit(
        title="A key that the model may leave out is read from its arguments",
        message=f"`{owner}` reads `{key}` from arguments the model wrote; when it is not there, "
        "nothing catches the KeyError.",
        owner=owner,
        severity="low",
        confidence="medium",
        failure_path=(
            f"the model leaves `{key}` out, or gives it another name",
            f"`{owner}` raises KeyError",
            "the call id is never answered",
        ),
        smallest_change="Answer the call id with a message that names the missing argument.",
        challenge=Challenge(
            "upheld", looked_in(found, "a handler of KeyError, or a test of the key")
        ),
        acceptance="A scripted call without a required argument yields a paired tool message "
        "in {owner} that names it, and the model is called again.",
        names={"owner": owner},
    )
    evidence = (
        primary(site.place, "this raises when the key is not there"),
        *(related(s.place, "and this") for s, _ in group[1:4]),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
