"""Tools that no list of an agent holds as a function of the target: ready-made and registered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from agentcheck.graph.containers import Element
from agentcheck.graph.handles import Fn, Klass
from agentcheck.graph.resolve import External, ModuleRef
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import ToolKind
    from agentcheck.graph.toolset import Toolbox


def ready_made(toolbox: Toolbox, expr: E.Expr, fn: Fn) -> Iterator[Tool]:
    """The SDK's own tool that is given without a call, `tools=[google_search]`; those of a module.

    A module of the target stands for its decorated functions, else for the one of its own name.
    """
    for symbol in toolbox.tracer.resolver.of(expr, fn):
        if isinstance(symbol, ModuleRef):
            yield from _of_module(toolbox, symbol.path)
        elif isinstance(symbol, External):
            yield from _named(toolbox, symbol.dotted, expr, fn)


def _of_module(toolbox: Toolbox, path: str) -> Iterator[Tool]:
    functions = toolbox.tracer.program.functions[path]
    made = [t for fn in functions if (t := toolbox.by_fn.get(fn)) is not None and t.data]
    if made:
        yield from made
        return
    for fn in functions:
        if fn.facts.qualname == PurePosixPath(path).stem:
            tool = Tool(fn.name, fn, fn.place(fn.facts.name_span))
            yield toolbox.by_name.setdefault((path, ""), tool)


def _named(toolbox: Toolbox, dotted: str, expr: E.Expr, fn: Fn) -> Iterator[Tool]:
    key = (dotted, toolbox.tracer.program.modules.component(fn.file.path))
    if key not in toolbox.by_name:
        tool = _known(toolbox, dotted, expr, fn)
        if tool is None:
            return
        toolbox.by_name[key] = tool
    yield toolbox.by_name[key]


def _known(toolbox: Toolbox, dotted: str, expr: E.Expr, fn: Fn) -> Tool | None:
    for kind, framework in toolbox.kinds:
        if dotted in kind.constructors and kind.function is None:
            name = dotted.rpartition(".")[2]
            place = fn.place(expr.span)
            return Tool(name, None, place, kind, framework, _standing(kind))
    return None


def _standing(kind: ToolKind) -> Literal["maybe", "no"] | None:
    """The approval of a tool that is given nothing."""
    if kind.asks:
        return "maybe"
    return "no" if kind.approval_keyword else None


def of_object(toolbox: Toolbox, klass: Klass) -> list[Tool]:
    """The methods of an object that decorators made into tools: `plugins=[LightsPlugin()]`."""
    found = {
        name: tool
        for here in reversed(toolbox.tracer.resolver.mro(klass))
        for name, method in here.methods.items()
        if (tool := toolbox.by_fn.get(method)) is not None and tool.data is not None
    }
    return list(found.values())


def registered(toolbox: Toolbox) -> Iterator[Tool]:
    """The functions that a call hands over by itself: `server.add_tool(pay)`."""
    tracer = toolbox.tracer
    for kind, _ in toolbox.kinds:
        names = set(kind.constructors) if kind.registers else set[str]()
        for last in {name.rpartition(".")[2] for name in names}:
            for site in tracer.program.call_index.get(last, []):
                if names & tracer.resolver.dotted(site.call.func, site.fn):
                    made = toolbox.of(Element(site.call, site.fn))
                    yield from (tool for tool in made if tool.fn is not None)
