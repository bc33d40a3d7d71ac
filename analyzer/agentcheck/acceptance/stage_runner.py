"""Classes of the target that run agents: `Swarm.run(agent=..., messages=...)`."""

from __future__ import annotations

from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.handles import Fn, Klass
from agentcheck.graph.text import dotted
from agentcheck.model.kind import code_kind

CLIENTS = ("client", "llm", "openai_client", "model_client")
AGENTS = ("agent", "starting_agent", "active_agent")
MESSAGES = ("messages", "history", "input", "inputs")
TOOLS = ("functions", "tools")


def runner_names(graph: AgentGraph, fn: Fn) -> dict[str, str]:
    """The names of the runner that a function belongs to; empty where it belongs to none."""
    klass = graph.program.owner(fn)
    if klass is None:
        return {}
    plain, stream = _twins(graph, klass)
    entry = klass.methods.get(plain)
    if entry is None:
        return {}
    params = {p.name for p in entry.facts.params}
    names = {
        "shape": "runner",
        "module": module_of(graph, fn.file.path),
        "import_root": import_root(graph, fn.file.path),
        "runner": klass.name,
        "run": plain,
        "stream": stream,
        "client_param": _first(_init_params(klass), CLIENTS),
        "agent_param": _first(params, AGENTS),
        "messages_param": _first(params, MESSAGES),
        "limit_param": _limit_param(graph, entry),
        **_agent_class(graph, entry),
    }
    return {key: value for key, value in names.items() if value}


def module_of(graph: AgentGraph, path: str) -> str:
    """The dotted name that a file can be imported by: from the outermost folder whose name, and
    those of all below it, can stand in an import."""
    parts = graph.program.modules.dotted_name(path).split(".")
    odd = [index for index, part in enumerate(parts[:-1]) if not part.isidentifier()]
    return (
        ".".join(parts[odd[-1] + 1 :]) if odd else ".".join([*_above(graph, path, parts), *parts])
    )


def _above(graph: AgentGraph, path: str, parts: list[str]) -> tuple[str, ...]:
    """The folders above a file's package that the target's own imports name, though they hold no
    `__init__.py`: with `from desk.tools import refund`, `desk` for the file `desk/loop.py`."""
    own = path.removesuffix("/__init__.py").split("/")
    folders = own[: len(own) - len(parts)]
    for start in range(len(folders)):
        names = folders[start:]
        if all(name.isidentifier() for name in names) and _named(graph, folders[:start], names[0]):
            return tuple(names)
    return ()


def _named(graph: AgentGraph, above: list[str], folder: str) -> bool:
    """Whether a file of the target imports one of the folder's files by the folder's name."""
    layout = graph.program.layout
    return any(
        "/".join([*above, *name.split(".")]) + end in layout.paths
        for name in layout.dotted
        if name.startswith(f"{folder}.")
        for end in (".py", "/__init__.py")
    )


def import_root(graph: AgentGraph, path: str) -> str:
    """The folder to put on the path so that the file's dotted name imports."""
    depth = len(module_of(graph, path).split("."))
    parts = path.removesuffix("/__init__.py").split("/")
    return "/".join(parts[: len(parts) - depth]) or "."


def _twins(graph: AgentGraph, klass: Klass) -> tuple[str, str]:
    """The plain and the streaming method that take an agent and loop over model calls."""
    loops = {loop.fn for loop in graph.loops}
    runs = [f for f in klass.methods.values() if f in loops and _takes_agent(f)]
    plain = next((f.name for f in runs if not f.facts.is_generator), "")
    stream = next((f.name for f in runs if f.facts.is_generator), "")
    return plain or stream, stream


def _takes_agent(fn: Fn) -> bool:
    params = {p.name for p in fn.facts.params}
    return bool(_first(params, AGENTS) and _first(params, MESSAGES))


def _init_params(klass: Klass) -> set[str]:
    init = klass.methods.get("__init__")
    return {p.name for p in init.facts.params[1:]} if init else set()


def _first(names: set[str], wanted: tuple[str, ...]) -> str:
    return next((w for w in wanted if w in names), "")


def _limit_param(graph: AgentGraph, fn: Fn) -> str:
    """The parameter behind the bound of the function's own loop."""
    bounds = [b for loop in graph.loops_of(fn) for b in loop.bounds]
    return next((p.name for b in bounds for f, p in b.params if f is fn), "")


def _agent_class(graph: AgentGraph, entry: Fn) -> dict[str, str]:
    """The agent class of the program that its runner takes, with its field for tools."""
    for agent in graph.agents:
        if not graph.program.together(agent.site.fn, entry):
            continue
        if agent.klass is not None and code_kind(agent.klass.file.path) == "code":
            module = module_of(graph, agent.klass.file.path)
            fields = {p for p in TOOLS if p in _fields(agent.klass)}
            return {
                "agent_class": f"{module}.{agent.klass.name}",
                "functions_field": next(iter(sorted(fields)), ""),
            }
    return {}


def _fields(klass: Klass) -> set[str]:
    names = {dotted(t) for s in klass.facts.body for t in getattr(s, "targets", ())}
    return {n for n in names if n} | _init_params(klass)
