"""What the limit rules say of a loop's function: its callers, and the names a test needs."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Bound,
    Fn,
    Klass,
    Limit,
    Place,
    code_kind,
    default_of,
    dotted,
)


def unlimited_defaults(graph: AgentGraph, loop: AgentLoop) -> list[tuple[Fn, Limit]]:
    """The parameters behind the loop's limits whose default is no limit, nearest first."""
    return [found for bound in loop.bounds for found in open_defaults(graph, bound)]


def open_defaults(graph: AgentGraph, bound: Bound) -> Iterator[tuple[Fn, Limit]]:
    """The same of one bound."""
    for fn, param in bound.params:
        if (fn, param) not in bound.replaced:
            for limit in default_of(graph.tracer, fn, param.name):
                if limit.worth in ("infinite", "none"):
                    yield fn, limit


def passed_by(graph: AgentGraph, loop: AgentLoop) -> list[Place]:
    """The calls, tests apart, that leave such a parameter at its default; shipped code first."""
    found = []
    for bound in loop.bounds:
        for fn, param in bound.params:
            for site in graph.calls.callers(fn):
                given = graph.calls.argument(site, fn, param)
                left = given is None and not graph.calls.spreads(site)
                if left and code_kind(site.fn.file.path) != "test":
                    found.append(site)
    ranked = sorted(found, key=lambda s: (code_kind(s.fn.file.path), s.fn.index == 0, s.place))
    return list(dict.fromkeys(s.place for s in ranked))


def is_polled(graph: AgentGraph, loop: AgentLoop) -> bool:
    """Whether a loop only asks how a run that goes on elsewhere is doing."""
    ends = [end for site in loop.sites for end in graph.drives.ends_of(site)]
    return bool(ends) and all(getattr(end.data, "kind", "") == "poll" for end in ends)


def names_for(graph: AgentGraph, loop: AgentLoop) -> dict[str, str]:
    """What a generated test has to import and call; empty where the loop is not a method."""
    return runner_names(graph, loop.fn)


def runner_names(graph: AgentGraph, fn: Fn) -> dict[str, str]:
    """The import names, class, methods and parameters of a runner, for acceptance tests."""
    klass = graph.program.owner(fn)
    if klass is None:
        return {"owner": fn.qualname}
    plain, stream = _twins(graph, klass, fn)
    entry = klass.methods.get(plain, fn)
    params = {p.name for p in entry.facts.params}
    names = {
        "owner": fn.qualname,
        "module": graph.program.modules.dotted_name(fn.file.path),
        "import_root": _import_root(graph, fn.file.path),
        "runner": klass.name,
        "run": plain,
        "stream": stream,
        "client_param": _first(
            _init_params(klass), ("client", "llm", "openai_client", "model_client")
        ),
        "agent_param": _first(params, ("agent", "starting_agent", "active_agent")),
        "messages_param": _first(params, ("messages", "history", "input", "inputs")),
        "limit_param": _limit_param(graph, entry),
        **_agent_names(graph),
    }
    return {key: value for key, value in names.items() if value}


def _init_params(klass: Klass) -> set[str]:
    init = klass.methods.get("__init__")
    return {p.name for p in init.facts.params[1:]} if init else set()


def _first(names: set[str], wanted: tuple[str, ...]) -> str:
    return next((w for w in wanted if w in names), "")


def _limit_param(graph: AgentGraph, fn: Fn) -> str:
    """The parameter behind the bound of the function's own loop."""
    bounds = [b for loop in graph.loops if loop.fn is fn for b in loop.bounds]
    return next((p.name for b in bounds for f, p in b.params if f is fn), "")


def _twins(graph: AgentGraph, klass: Klass, fn: Fn) -> tuple[str, str]:
    """The plain and the streaming run method of a runner class, whichever of them `fn` is."""
    loops = [f for f in klass.methods.values() if any(loop.fn is f for loop in graph.loops)]
    plain = next((f.name for f in loops if not f.facts.is_generator), "")
    stream = next((f.name for f in loops if f.facts.is_generator), "")
    return plain or fn.name, stream


def _import_root(graph: AgentGraph, path: str) -> str:
    """The folder to put on the path so that the file's dotted name imports."""
    depth = len(graph.program.modules.dotted_name(path).split("."))
    parts = path.removesuffix("/__init__.py").split("/")
    return "/".join(parts[: len(parts) - depth]) or "."


def _agent_names(graph: AgentGraph) -> dict[str, str]:
    """The agent class of the target that its runner takes, with its field for tools."""
    for agent in graph.agents:
        if agent.klass is not None and code_kind(agent.klass.file.path) == "code":
            module = graph.program.modules.dotted_name(agent.klass.file.path)
            fields = {p for p in ("functions", "tools") if p in _fields(agent.klass)}
            return {
                "agent_class": f"{module}.{agent.klass.name}",
                "functions_field": next(iter(sorted(fields)), ""),
            }
    return {}


def _fields(klass: Klass) -> set[str]:
    names = {dotted(t) for s in klass.facts.body for t in getattr(s, "targets", ())}
    return {n for n in names if n} | _init_params(klass)
