"""Functions and methods that ask a model by themselves, with arguments that can be made up."""

from __future__ import annotations

from collections.abc import Iterable

from agentcheck.acceptance.stage_runner import AGENTS, CLIENTS, import_root, module_of
from agentcheck.acceptance.stage_tools import tool_lists
from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.effects import effects_of
from agentcheck.graph.handles import Fn, Klass
from agentcheck.graph.people import function_asks
from agentcheck.graph.resolve import ClassRef
from agentcheck.graph.text import dotted
from agentcheck.graph.toolset import Tool
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model.kind import code_kind

TEXTS = frozenset(
    "prompt query question message user_input user_message input text task goal topic content "
    "instruction instructions name system system_prompt role objective request user_query".split()
)
TALKS = frozenset("messages history conversation chat_history".split())
MOST_TOOLS = 8
BODIES = ("execute", "run", "_run", "arun", "forward", "call", "invoke", "__call__")
TEXT_TYPES = frozenset({"str"})
LIST_TYPES = frozenset({"list", "List", "Sequence", "Iterable"})


def entry_names(graph: AgentGraph, fn: Fn) -> dict[str, str]:
    """The names of a function that a test can call; empty where it cannot be told how."""
    if fn.index == 0 or not graph.drives.reaches(fn) or fn.facts.name.startswith("__"):
        return {}
    klass = graph.program.owner(fn)
    outer = graph.program.parent(fn)
    if outer is not None and outer.index != 0:
        return {}
    given = _arguments(fn.facts.params[1:] if klass else fn.facts.params)
    init = _constructor(graph, klass) if klass else {}
    if given is None or init is None:
        return {}
    kinds = _kinds(graph, klass) if klass else []
    names = {
        "shape": "entry",
        "module": module_of(graph, fn.file.path),
        "import_root": import_root(graph, fn.file.path),
        "entry": fn.name,
        "entry_args": _written(given),
        "kind": klass.name if klass else "",
        "kind_args": _written(init),
        "tool_classes": _tool_classes(graph, kinds),
        **tool_lists(graph, fn, [tool for _, tool in kinds]),
        "limit_param": _limit(graph, fn),
    }
    return {key: value for key, value in names.items() if value}


def session_names(graph: AgentGraph, fn: Fn) -> dict[str, str]:
    """The interactive function around a runner that takes the agent alone, if there is one."""
    klass = graph.program.owner(fn)
    methods = klass.methods.values() if klass else ()
    for site in (site for method in methods for site in graph.calls.callers(method)):
        here = site.fn
        if code_kind(here.file.path) != "code" or graph.program.owner(here) is not None:
            continue
        needed = [p.name for p in here.facts.params if p.default is None]
        takes = here.index and len(needed) == 1 and needed[0] in AGENTS
        if takes and function_asks(graph.calls, here):
            module = module_of(graph, here.file.path)
            return {"session": f"{module}.{here.name}", "session_agent": needed[0]}
    return {}


def _arguments(params: Iterable[E.Param]) -> dict[str, str] | None:
    """What to pass for each parameter that has no default; None where that cannot be made up."""
    found: dict[str, str] = {}
    for param in params:
        if param.default is not None or param.kind in ("star", "double_star"):
            continue
        made = _made_up(param)
        if made is None or param.kind == "positional_only":
            return None
        found[param.name] = made
    return found


def _made_up(param: E.Param) -> str | None:
    kind = dotted(param.annotation) if param.annotation is not None else None
    if isinstance(param.annotation, E.Index):
        kind = dotted(param.annotation.value)
    last = (kind or "").rpartition(".")[2]
    if param.name in TALKS and (not last or last in LIST_TYPES):
        return "talk"
    if last in TEXT_TYPES or (not last and param.name in TEXTS):
        return "text"
    if param.name in CLIENTS:
        return "client"
    return "off" if last == "bool" else None


def _constructor(graph: AgentGraph, klass: Klass) -> dict[str, str] | None:
    """What its constructor needs; None where that cannot be made up.

    A class without one may get it from a base or from a decorator that nobody can see into.
    """
    init = graph.resolver.method(klass, "__init__")
    if init is not None:
        return _arguments(init.facts.params[1:])
    return {} if not klass.facts.bases and not klass.facts.decorators else None


def _kinds(graph: AgentGraph, klass: Klass) -> list[tuple[Klass, Tool]]:
    """The tools that a class can be given by a list: classes derived from that of its `tools`."""
    init = graph.resolver.method(klass, "__init__")
    given = [p.annotation for p in init.facts.params if p.name == "tools"] if init else []
    bases = [
        symbol.klass
        for annotation in given
        if annotation is not None
        for inner in descend(annotation)
        for symbol in graph.resolver.of(inner, graph.program.module(klass.file.path))
        if isinstance(symbol, ClassRef)
    ]
    found = []
    for kind in graph.program.every_class() if bases else ():
        derived = any(base is not kind and base in graph.resolver.mro(kind) for base in bases)
        tool = _as_tool(kind) if derived and _constructor(graph, kind) == {} else None
        found += [(kind, tool)] if tool is not None else []
    return found


def _as_tool(kind: Klass) -> Tool | None:
    """A tool class as a tool, by the method that runs it."""
    body = next((kind.methods[name] for name in BODIES if name in kind.methods), None)
    return Tool(kind.name, body, kind.file.place(kind.facts.name_span)) if body else None


def _tool_classes(graph: AgentGraph, kinds: list[tuple[Klass, Tool]]) -> str:
    """Tool classes by their dotted names, harmless ones first."""
    names = {
        f"{module_of(graph, kind.file.path)}.{kind.name}": bool(effects_of(graph.tracer, tool))
        for kind, tool in kinds
    }
    return ",".join(sorted(names, key=lambda name: (names[name], name))[:MOST_TOOLS])


def _written(arguments: dict[str, str]) -> str:
    return ",".join(f"{name}={made}" for name, made in arguments.items())


def _limit(graph: AgentGraph, fn: Fn) -> str:
    bounds = [b for loop in graph.loops_of(fn) for b in loop.bounds]
    return next((p.name for b in bounds for f, p in b.params if f is fn), "")
