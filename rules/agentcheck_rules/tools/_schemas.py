"""Home-made descriptions of tools: builders, tables by name, literal schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    S,
    Site,
    Tool,
    argument,
    code_kind,
    descend,
    last_name,
    lazy_re,
    read_key,
    statements_below,
    string,
)

_ANY = frozenset({"string", "str", "STRING", "object", "any", "text"})
_READS = frozenset({"signature", "get_type_hints", "getfullargspec", "get_annotations"})
_TOOLS = lazy_re(r"(^|_)(tools?|functions?|funcs?|actions?|skills?|callables?|fns?)(_|$)")
# Parameters that the run fills in.
_FILLED = lazy_re(
    r"^(self|cls|_.*|ctx|context|context_variables|.*_context|state|runtime|config|wrapper|agent|"
    r"session|deps|run_manager|callbacks?)$"
)


def builders(graph: AgentGraph) -> Iterator[tuple[Site, str]]:
    """Look-ups of an annotation with a text type to fall back on, in code that reads signatures."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test" or not _reads_signatures(graph, fn):
            continue
        for site, call in graph.program.calls(fn):
            fallback = string(call.args[1].value) if len(call.args) == 2 else None
            is_get = isinstance(call.func, E.Attr) and call.func.attr == "get"
            if is_get and fallback in _ANY and _is_annotation(graph, call.args[0].value, fn):
                yield site, fallback or ""


def _reads_signatures(graph: AgentGraph, fn: Fn) -> bool:
    return any(
        type(s.expr) is E.Attr and s.expr.attr in ("__annotations__", "annotation")
        for s in graph.program.shaped(fn, E.Attr)
    ) or any(last_name(call.func) in _READS for _, call in graph.program.calls(fn))


def _is_annotation(graph: AgentGraph, key: E.Expr, fn: Fn) -> bool:
    if any(read_key(e) in ("annotation", "__annotations__") for e in descend(key)):
        return True
    if any(o.steps and "annotation" in o.steps for o in graph.tracer.local(key, fn)):
        return True
    names = {e.id.lower() for e in descend(key) if isinstance(e, E.Name)}
    return any(re.search(r"annot|hint|(py|param|arg)_?type", n) for n in names)


def collapsing_tables(graph: AgentGraph) -> Iterator[tuple[Site, Site | None]]:
    """Tables of tools by bare name made in one go, each with a test for namesakes if there is."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test":
            continue
        for site in graph.program.shaped(fn, E.Comp):
            if isinstance(site.expr, E.Comp) and _by_bare_name(site.expr):
                yield site, _tested(graph, site)


def _by_bare_name(comp: E.Comp) -> bool:
    """`{f.__name__: f for f in functions}`, also with `.name` where tools are gone through."""
    if comp.kind != "dict" or len(comp.loops) != 1 or not isinstance(comp.element, E.Attr):
        return False
    loop, key = comp.loops[0], comp.element
    if not (isinstance(loop.target, E.Name) and isinstance(key.value, E.Name)):
        return False
    same = key.value.id == loop.target.id
    whole = isinstance(comp.value, E.Name) and comp.value.id == loop.target.id
    over = (last_name(loop.iter) or "").lower()
    return same and whole and key.attr in ("__name__", "name") and bool(_TOOLS.search(over))


def _tested(graph: AgentGraph, site: Site) -> Site | None:
    """A place in the function that compares counts or membership and raises."""
    for at in graph.program.statements(site.fn):
        if isinstance(at.stmt, S.If):
            raises = any(isinstance(s, S.Raise) for s in statements_below(at.stmt))
            counts = any(
                isinstance(e, E.Call) and last_name(e.func) in ("len", "Counter", "set")
                for e in descend(at.stmt.test)
            )
            if raises and counts:
                return Site(at.stmt.test, at)
    return None


def literal_names(graph: AgentGraph) -> set[tuple[str, str]]:
    """The names of tools that are described by a literal schema, each with its program."""
    found = set()
    for fn in graph.program.every_function():
        for site in graph.program.shaped(fn, E.Entries):
            if isinstance(site.expr, E.Entries):
                keys = {string(e.key): e.value for e in site.expr.entries if e.key is not None}
                label = string(keys.get("name"))
                if label and keys.keys() & {"parameters", "input_schema", "inputSchema"}:
                    found.add((graph.program.of(fn), label))
    return found


def has_schema(tool: Tool) -> bool:
    """Whether the call or decorator that makes the tool is given a schema."""
    calls = [tool.built.call] if tool.built is not None else []
    if tool.fn is not None:
        calls += [d for d in tool.fn.facts.decorators if isinstance(d, E.Call)]
    keywords = ("args_schema", "input_schema", "parameters", "params_json_schema", "schema",
                "input_model")  # fmt: skip
    return any(argument(c, k) is not None for c in calls for k in keywords)


def untyped(graph: AgentGraph, fn: Fn) -> list[E.Param]:
    """The parameters that the model fills in and that have no annotation."""
    if graph.program.owner(fn) is not None:
        return []
    return [
        p
        for p in fn.facts.params
        if p.annotation is None
        and p.kind not in ("star", "double_star")
        and not _FILLED.match(p.name)
    ]
