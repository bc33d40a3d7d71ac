"""What keeps a path of the model's inside a folder or on a list."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    CodeEvidence,
    E,
    Fn,
    S,
    Site,
    descend,
    last_name,
    lazy_re,
    related,
    string,
)
from agentcheck_rules.tools._checks import checks_before
from agentcheck_rules.tools._paths import Touch
from agentcheck_rules.tools._written import Written

# Nothing but a path has these; what the others are given must be named for one.
_OF_PATHS = frozenset(
    "is_relative_to relative_to commonpath commonprefix is_absolute isabs secure_filename "
    "safe_join samefile islink is_symlink".split()
)
_OF_TEXTS = frozenset({"basename", "match", "fullmatch"})
_NAMED = lazy_re(
    r"sanit|safe|(?<!in)valid|confin|sandbox|allow|secur|within|inside|restrict|permi|authori|"
    r"traversal|is_sub|under_root|in_workspace|guard|jail|check_(path|file|access)"
)
_OTHER_TESTS = lazy_re(r"exist|config|extension|size|type|csv|format|json|encod|load|dump")
_STEPS = lazy_re(r"\.\.|/|\\|~")
_PATH_WORDS = lazy_re(
    r"path|file|name|dir$|directory|folder|target|dest|location|resolved|root|workspace|^p$"
)


def confined(graph: AgentGraph, touch: Touch, written: Written) -> CodeEvidence | None:
    """What keeps the path inside a folder or on a list, on its way or in the class around it."""
    for fn in _around(graph, touch, written):
        for site in graph.program.sites(fn):
            if _confines(site):
                return related(site.place, "the path is looked at here")
    given = (touch.path,)
    allowed = (e for kind, e in checks_before(graph, touch.site, given) if kind == "allow")
    return next(allowed, None)


def _around(graph: AgentGraph, touch: Touch, written: Written) -> list[Fn]:
    """The functions that the path goes through, what they enter, wrap or share a class with."""
    near = [*written.through, written.first, touch.site.fn]
    for fn in (written.first, touch.site.fn):
        klass = graph.program.self_class(fn)
        near += [m for k in graph.resolver.mro(klass) for m in k.methods.values()] if klass else []
        near += [f for d in fn.facts.decorators for f in _wrappers(graph, d, fn)]
    for fn in tuple(dict.fromkeys(near)):
        near += [f for site, _ in graph.program.calls(fn) for f in graph.calls.callees(site)]
    return list(dict.fromkeys(near))


def _wrappers(graph: AgentGraph, decorator: E.Expr, fn: Fn) -> Iterator[Fn]:
    func = decorator.func if isinstance(decorator, E.Call) else decorator
    host = graph.program.parent(fn) or fn
    wanted = graph.resolver.dotted(func, host)
    for other in graph.program.functions.get(fn.file.path, ()) if wanted else ():
        outer = graph.program.parent(other)
        if last_name(func) in (other.name, outer.name if outer is not None else None):
            yield other


def _confines(site: Site) -> bool:
    match site.expr:
        case E.Call(func=func) as call:
            name = (last_name(func) or "").lower()
            if name == "startswith":
                tested = isinstance(site.at.stmt, (S.If, S.Assert)) or string(_first(call)) is None
                return tested and _is_of_a_path(call)
            if name == "replace":
                return _is_of_a_path(call) and bool(_STEPS.search(string(_first(call)) or ""))
            if name in _OF_PATHS or (name in _OF_TEXTS and _speaks_of_files(call)):
                return True
            return _is_named_test(name, call)
        case E.Compare(ops=ops) as compare if {"in", "not in"} & set(ops):
            parts = list(descend(compare))
            texts = {string(e) for e in parts if isinstance(e, E.Const)}
            parents = any(isinstance(e, E.Attr) and e.attr == "parents" for e in parts)
            return parents or bool(texts & {"..", "/", "../"})
        case _:
            return False


def _first(call: E.Call) -> E.Expr | None:
    return call.args[0].value if call.args else None


def _is_named_test(name: str, call: E.Call) -> bool:
    """A helper named for the test, given something named for a file."""
    named = _NAMED.search(name) and not _OTHER_TESTS.search(name)
    return bool(named) and _speaks_of_files(call)


def _speaks_of_files(call: E.Call) -> bool:
    given = {(last_name(e) or "").lower() for e in descend(call) if e is not call.func}
    return any(_PATH_WORDS.search(word) for word in given)


def _is_of_a_path(call: E.Call) -> bool:
    """`path.startswith(root)` and `name.replace("/", "_")`, not `url.startswith("http")`."""
    receiver = call.func.value if isinstance(call.func, E.Attr) else call.func
    words = {(last_name(e) or "").lower() for e in descend(receiver)}
    text = string(_first(call))
    plain = text is None or bool(_STEPS.match(text))
    return plain and any(_PATH_WORDS.search(w) for w in words)
