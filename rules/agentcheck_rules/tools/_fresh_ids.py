"""Ids that a tool makes anew with every call."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    S,
    Site,
    descend,
    last_name,
    lazy_re,
    own_exprs,
    statements_below,
    string,
)
from agentcheck_rules.tools._repeats import is_effect

_RANDOM = lazy_re(r"^(random\.\w+|secrets\.\w+|uuid\.uuid[14]|numpy\.random\.\w+)$")


def made_anew(graph: AgentGraph, fn: Fn) -> Iterator[tuple[Site, Site]]:
    """Random ids that a body makes and hands on: where it is made, where it is used."""
    for at in graph.program.statements(fn):
        if not isinstance(at.stmt, S.Assign) or at.stmt.value is None:
            continue
        calls = [e for e in descend(at.stmt.value) if isinstance(e, E.Call)]
        if not any(_RANDOM.match(n) for c in calls for n in graph.resolver.dotted(c.func, fn)):
            continue
        names = {t.id for t in at.stmt.targets if isinstance(t, E.Name)}
        if not any(re.search(r"id|key|number|ref|code|token", n.lower()) for n in names):
            continue
        used = next(_uses(graph, fn, names), None)
        if used is not None:
            yield Site(calls[0], at), used


def _uses(graph: AgentGraph, fn: Fn, names: set[str]) -> Iterator[Site]:
    """Where a name goes into an effect, or is the key under which something is kept."""
    for site in graph.program.sites(fn):
        match site.expr:
            case E.Call(args=args) if is_effect(graph, site) or _stores(site.call):
                if any(
                    isinstance(e, E.Name) and e.id in names for a in args for e in descend(a.value)
                ):
                    yield site
            case E.Index(index=E.Name(id=name)) if name in names and _is_target(site):
                yield site
            case _:
                continue


def _stores(call: E.Call) -> bool:
    """A statement of SQL that inserts, or a helper that adds a record."""
    if re.match(r"(add|insert|save|record|store)_", last_name(call.func) or ""):
        return True
    said = string(call.args[0].value) if call.args else None
    return bool(said and re.match(r"\s*insert\b", said, re.IGNORECASE))


def _is_target(site: Site) -> bool:
    stmt = site.at.stmt
    return isinstance(stmt, S.Assign) and any(
        site.expr is e for t in stmt.targets for e in descend(t)
    )


def reads_first(graph: AgentGraph, fn: Fn, before: Site) -> bool:
    """Whether a test of what is there already may end the body before."""
    for at in graph.program.statements(fn):
        if isinstance(at.stmt, S.If) and at.stmt.span < before.at.stmt.span:
            tests = [e for x in own_exprs(at.stmt) for e in descend(x)]
            member = any(isinstance(e, E.Compare) and "in" in e.ops for e in tests)
            named = any(
                isinstance(e, E.Name) and re.search(r"exist|found|previous|prior|seen", e.id)
                for e in tests
            )
            ends = any(isinstance(s, (S.Return, S.Raise)) for s in statements_below(at.stmt))
            if ends and (member or named):
                return True
    return False
