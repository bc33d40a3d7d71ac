"""What a model is told of a tool apart from its name."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    S,
    Tool,
    argument,
    code_kind,
    has_spread,
    last_name,
    string,
)
from agentcheck_rules.tools._bodies import bodied
from agentcheck_rules.tools._schemas import has_schema, literal_names

_KEYWORDS = ("description", "desc", "description_override", "docstring", "instructions", "title")
_SHAPES = frozenset({"parameters", "input_schema", "inputSchema"})


def functions(graph: AgentGraph) -> Iterator[tuple[Tool, Fn, bool]]:
    """Every tool whose description is made from its function, with whether there is one."""
    literal, handed = literal_names(graph), {t.fn for t in graph.handoff_tools}
    written = _documented(graph)
    for tool, fn in bodied(graph):
        if (graph.program.of(fn), tool.name) in literal or has_schema(tool) or fn in handed:
            continue
        if _is_method_of_class(graph, fn) or _wraps(fn):
            continue
        calls = [c for c in (_maker(tool), *fn.facts.decorators) if isinstance(c, E.Call)]
        if any(has_spread(c) for c in calls):
            continue
        said = any(argument(c, k) is not None for c in calls for k in _KEYWORDS)
        yield (
            tool,
            fn,
            said
            or bool((fn.facts.doc or "").strip())
            or (graph.program.of(fn), fn.name) in written,
        )


def _maker(tool: Tool) -> E.Call | None:
    return tool.built.call if tool.built is not None else None


def _wraps(fn: Fn) -> bool:
    """Whether the function stands for another, or `functools.wraps` gives it the docstring."""
    return fn.name in ("decorator", "wrapper", "wrapped", "inner") or any(
        isinstance(d, E.Call) and last_name(d.func) in ("wraps", "update_wrapper")
        for d in fn.facts.decorators
    )


def _is_method_of_class(graph: AgentGraph, fn: Fn) -> bool:
    """Whether the body is that of a class of tools, which has its description in a field."""
    return graph.program.owner(fn) is not None and fn.name in (
        "_run", "run", "execute", "forward", "__call__", "call", "invoke",
    )  # fmt: skip


def _documented(graph: AgentGraph) -> set[tuple[str, str]]:
    """The functions whose `__doc__` is written by a statement, by program and name."""
    found = set[tuple[str, str]]()
    for fn in graph.program.every_function():
        for at in graph.program.statements(fn):
            targets = at.stmt.targets if type(at.stmt) is S.Assign else ()
            for target in targets:
                if type(target) is not E.Attr or target.attr != "__doc__":
                    continue
                if isinstance(target.value, E.Name):
                    found.add((graph.program.of(fn), target.value.id))
    return found


def schemas(graph: AgentGraph) -> Iterator[tuple[str, Place, bool]]:
    """Every literal schema of a tool outside tests, with whether it says what the tool does."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test":
            continue
        for site in graph.program.shaped(fn, E.Entries):
            if isinstance(site.expr, E.Entries):
                found = _schema(site.expr)
                if found is not None:
                    yield found[0], site.place, found[1]


def _schema(shown: E.Entries) -> tuple[str, bool] | None:
    """The name in `{"type": "function", "function": {...}}`, or in Anthropic's plain form."""
    keys = {string(e.key): e.value for e in shown.entries if e.key is not None}
    if any(e.key is None for e in shown.entries):
        return None
    inner = keys.get("function")
    if string(keys.get("type")) == "function" and isinstance(inner, E.Entries):
        keys = {string(e.key): e.value for e in inner.entries if e.key is not None}
    elif "parameters" in keys and string(keys.get("type")) != "function":
        return None
    name = string(keys.get("name"))
    return (name, "description" in keys) if name and keys.keys() & _SHAPES else None
