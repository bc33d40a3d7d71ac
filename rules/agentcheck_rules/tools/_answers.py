"""Requests and processes whose outcome nobody looks at."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    S,
    Site,
    descend,
    lazy_re,
    own_exprs,
    statements_below,
)

_HTTP = lazy_re(r"^(requests|httpx)\.(post|put|patch|delete)$")
_RUN = lazy_re(r"^subprocess\.(run|call)$")
_LOOKS = frozenset("raise_for_status ok status_code is_success is_error status json reason".split())


def unread_answers(graph: AgentGraph, fn: Fn) -> Iterator[Site]:
    """Requests and processes whose outcome nobody looks at, and which raise nothing themselves."""
    read = {e.attr for s in graph.program.sites(fn) for e in [s.expr] if isinstance(e, E.Attr)}
    returned = {id(e) for r in graph.tracer.results(fn) for e in descend(r)}
    for site, call in graph.program.calls(fn):
        names = graph.resolver.dotted(call.func, fn)
        checks = any(a.name == "check" for a in call.args)
        http = any(_HTTP.match(n) for n in names)
        if not (http or (any(_RUN.match(n) for n in names) and not checks)):
            continue
        looked = read & (_LOOKS if http else {"returncode", "check_returncode", "stderr", "stdout"})
        if not looked and id(call) not in returned and not _handed_on(site):
            yield site


def _handed_on(site: Site) -> bool:
    """Whether the answer goes anywhere: only a bare call or a name that nobody reads is dropped."""
    stmt = site.at.stmt
    if isinstance(stmt, S.Do):
        return stmt.value is not site.expr
    if not isinstance(stmt, S.Assign) or stmt.value is not site.expr:
        return True
    names = {t.id for t in stmt.targets if isinstance(t, E.Name)}
    below = [s for top in site.fn.facts.body for s in (top, *statements_below(top))]
    reads = [e for s in below if s is not stmt for x in own_exprs(s) for e in descend(x)]
    return not names or any(isinstance(e, E.Name) and e.id in names for e in reads)
