"""Regular expressions of guards: their text, how they are applied, and what a hit means."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    S,
    Site,
    argument,
    descend,
    dotted,
    last_name,
    lazy_re,
    own_exprs,
    string,
)
from agentcheck_rules.guards._pattern_meaning import Means, means_of

HOWS = frozenset("match search fullmatch findall finditer sub subn".split())
_SAME = frozenset("str strip lstrip rstrip lower upper casefold get".split())
_FOLDS = frozenset({"lower", "casefold", "upper"})
_FOLD_FLAGS = frozenset({"IGNORECASE", "I"})
_INLINE = lazy_re(r"\(\?[a-hj-zLsmux]*i[a-zL]*[):-]")


class Pattern(Struct, frozen=True):
    """One literal pattern as one place applies it. `at` is where the pattern is written."""

    fn: Fn
    use: Site
    how: str
    text: str
    at: Site
    means: Means
    folds: bool  # upper and lower case are alike
    subject: str  # the name of the text that it is applied to, in lower case


def guard_patterns(graph: AgentGraph, fn: Fn) -> Iterator[Pattern]:
    """The patterns that a function applies to text, where a hit decides yes or no."""
    for site, call in graph.program.calls(fn):
        how = last_name(call.func) or ""
        if how not in HOWS or how in ("sub", "subn"):
            continue
        found = list(_texts(graph, site, call))
        for name, text, at, folds in found:
            means = means_of(site, name)
            subject = _subject(graph, site, call)
            if means is not None and subject is not None:
                alike = folds or _folded(graph, subject, fn) or bool(_INLINE.search(text))
                yield Pattern(fn, site, how, text, at, means, alike, _word_of(subject))


def _word_of(subject: E.Expr) -> str:
    """The last name in a text's expression: `command` in `str(call.command)`."""
    words = (last_name(e) for e in descend(subject) if isinstance(e, (E.Name, E.Attr)))
    return next((w.lower() for w in words if w and w not in _SAME), "")


def _is_module(graph: AgentGraph, site: Site, call: E.Call) -> bool:
    """Whether a call is `re.search(pattern, text)`, not `compiled.search(text)`."""
    names = graph.resolver.dotted(call.func, site.fn)
    return any(n.startswith(("re.", "regex.")) and n.count(".") == 1 for n in names)


def _subject(graph: AgentGraph, site: Site, call: E.Call) -> E.Expr | None:
    """The text that is looked at."""
    if _is_module(graph, site, call):
        return argument(call, "string", 1)
    return argument(call, "string", 0)


def _texts(graph: AgentGraph, site: Site, call: E.Call) -> Iterator[tuple[str, str, Site, bool]]:
    """The literal patterns of a call: their name, text, place and whether they fold case."""
    if _is_module(graph, site, call):
        given = argument(call, "pattern", 0)
        folds = _fold_flag(argument(call, "flags", 2))
    else:
        given = call.func.value if isinstance(call.func, E.Attr) else None
        folds = False
    if given is None:
        return
    name = _name_of(graph, site, given)
    for expr, fn in _literals(graph, given, site.fn):
        where = _located(graph, expr, fn) or site
        if isinstance(expr, E.Call):
            text = string(argument(expr, "pattern", 0))
            flags = _fold_flag(argument(expr, "flags", 1))
        else:
            text, flags = string(expr), False
        if text is not None:
            yield name, text, where, folds or flags


def _literals(graph: AgentGraph, given: E.Expr, fn: Fn) -> Iterator[tuple[E.Expr, Fn]]:
    """The strings and `re.compile` calls that a pattern may be, those of a list among them."""
    for origin in graph.tracer.local(given, fn):
        expr = origin.expr
        plain = isinstance(expr, E.Const) and not origin.steps
        if expr is not None and (plain or _compiles(graph, expr, origin.fn)):
            yield expr, origin.fn


def _compiles(graph: AgentGraph, call: E.Expr, fn: Fn) -> bool:
    names = graph.resolver.dotted(call.func, fn) if isinstance(call, E.Call) else frozenset()
    return bool(names & {"re.compile", "regex.compile"})


def _located(graph: AgentGraph, expr: E.Expr, fn: Fn) -> Site | None:
    return next((s for s in graph.program.sites(fn) if s.expr is expr), None)


def _fold_flag(flags: E.Expr | None) -> bool:
    return flags is not None and any(
        last_name(e) in _FOLD_FLAGS or not isinstance(e, (E.Attr, E.Name, E.Binary))
        for e in descend(flags)
    )


def _name_of(graph: AgentGraph, site: Site, given: E.Expr) -> str:
    """The name of the pattern, or of the list that it is taken from."""
    written = dotted(given) or ""
    inside = [e for own in own_exprs(site.at.stmt) for e in descend(own)]
    pairs = [(c.target, c.iter) for e in inside if isinstance(e, E.Comp) for c in e.loops]
    loops = (at.stmt for at in graph.program.statements(site.fn))
    pairs += [(s.target, s.iter) for s in loops if isinstance(s, S.For)]
    lists = [dotted(over) or "" for target, over in pairs if _binds(target, written)]
    return " ".join(word.rpartition(".")[2] for word in (written, *lists))


def _binds(target: E.Expr, name: str) -> bool:
    return any(isinstance(e, E.Name) and e.id == name for e in descend(target))


def _folded(graph: AgentGraph, subject: E.Expr, fn: Fn, depth: int = 2) -> bool:
    """Whether the text has been put in one case before."""
    exprs = list(descend(subject))
    if any(isinstance(e, E.Attr) and e.attr in _FOLDS for e in exprs):
        return True
    for name in (e.id for e in exprs if isinstance(e, E.Name)):
        for binding in graph.program.scope(fn).get(name, []) if depth else ():
            if binding.expr is not None and _folded(graph, binding.expr, fn, depth - 1):
                return True
    return False
