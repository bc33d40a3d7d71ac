"""Where the target itself reads a model's tool calls and runs what they ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.origins import PARSERS, Origin
from agentcheck.graph.text import dotted, last_name, read_key, string
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

Part = Literal["name", "arguments", "call"]
CALL_STEPS = frozenset(
    {"tool_calls", "tool_call", "function_call", "toolCalls", "functionCall", "function_calls"}
)
CALL_WORDS = ("tool_call", "toolcall", "tool_use", "tooluse", "function_call", "functioncall")
CALL_TYPES = frozenset(
    {"tool_use", "function_call", "tool_call", "custom_tool_call", "server_tool_use"}
)
ARGUMENT_STEPS = frozenset({"arguments", "args", "input", "partial_json"})
EXECUTORS = frozenset(
    "call_tool execute_tool run_tool invoke_tool use_tool call_function execute_function".split()
)


def part_of(origin: Origin) -> Part | None:
    """Which part of a model's tool call a value is, by the keys it was read through."""
    names = tuple(n for n in origin.names if n != "json()")
    if not _in_call(origin, names):
        return None
    last = names[-1] if names else ""
    if last in ARGUMENT_STEPS:
        return "arguments"
    if last == "name":
        return "name"
    if last in CALL_STEPS or (not names and origin.param is not None):
        return "call"
    inner = set(names) & ARGUMENT_STEPS
    return "arguments" if inner and _after_call(names, inner) else None


def _after_call(names: tuple[str, ...], inner: set[str]) -> bool:
    """Whether a key below the arguments is read: `call.args["city"]`."""
    return (
        names[-1] not in ("id", "type", "index") and names.index(next(iter(inner))) < len(names) - 1
    )


def _in_call(origin: Origin, names: tuple[str, ...]) -> bool:
    if CALL_STEPS & set(names):
        return True
    if origin.kind == "param" and origin.param is not None:
        word = origin.param.lower().lstrip("_")
        return any(w in word or w in _annotation(origin) for w in CALL_WORDS)
    return False


def _annotation(origin: Origin) -> str:
    for param in origin.fn.facts.params:
        if param.name == origin.param and param.annotation is not None:
            words = [last_name(e) or "" for e in descend(param.annotation)]
            return " ".join(words).lower()
    return ""


def part(graph: AgentGraph, expr: E.Expr, fn: Fn) -> Part | None:
    """Which part of a model's tool call an expression may hold."""
    for origin in graph.tracer.of(expr, fn):
        found = part_of(origin)
        if found is not None:
            return found
        if origin.kind == "call" and _block_part(graph, origin):
            return _block_part(graph, origin)
    if (block := _typed_part(graph, expr, fn)) is not None:
        return block
    # A callee's own view counts too: callers may build the call by hand.
    locally = [part_of(o) for o in graph.tracer.local(expr, fn)]
    return next((p for p in locally if p is not None), None)


def _typed_part(graph: AgentGraph, expr: E.Expr, fn: Fn) -> Part | None:
    """`block["input"]` where the function tests that `block["type"]` is that of a tool call."""
    inner = _unwrapped(expr)
    key = read_key(inner)
    base = inner.value if isinstance(inner, (E.Attr, E.Index)) else None
    if key not in ("input", "arguments", "args", "name") or not isinstance(base, E.Name):
        return None
    if base.id not in _typed_names(graph, fn):
        return None
    return "name" if key == "name" else "arguments"


def _unwrapped(expr: E.Expr) -> E.Expr:
    while isinstance(expr, E.Call) and last_name(expr.func) in ("cast", "dict") and expr.args:
        expr = expr.args[-1].value
    return expr


def _typed_names(graph: AgentGraph, fn: Fn) -> set[str]:
    """Names whose `type` a function compares with the type of a tool call."""
    found: set[str] = set()
    for site in graph.program.sites(fn):
        compare = site.expr
        if isinstance(compare, E.Compare) and any(string(r) in CALL_TYPES for r in compare.rights):
            left = compare.left
            if read_key(left) == "type" and isinstance(left, (E.Attr, E.Index)):
                found |= {left.value.id} if isinstance(left.value, E.Name) else set()
    return found


def _block_part(graph: AgentGraph, origin: Origin) -> Part | None:
    """`block.input` and `block.name` of the content blocks of a Messages reply."""
    names = tuple(n for n in origin.names if n != "json()")
    known = any(c.site.expr is origin.expr and c.data.kind == "messages" for c in graph.model_calls)
    if not known or not names or names[0] not in ("content", "content_block"):
        return None
    if "input" in names or "partial_json" in names:
        return "arguments"
    return "name" if names[-1] == "name" else None


@dataclass(slots=True, eq=False)
class Dispatch:
    """A call that runs a tool of the model's choice. `lookup` is where its name is looked up."""

    site: Site
    how: Literal["mapping", "getattr", "executor", "spread", "method"]
    lookup: Site | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def fn(self) -> Fn:
        """The function it is in."""
        return self.site.fn


def find_dispatches(graph: AgentGraph) -> list[Dispatch]:
    """Every place where the target runs a tool that the model named, in source order."""
    found: list[Dispatch] = []
    for fn in graph.program.every_function():
        for site, call in graph.program.calls(fn):
            dispatch = _dispatch(graph, site, call)
            if dispatch is not None:
                found.append(dispatch)
    return sorted(found, key=lambda d: d.site.place)


def _dispatch(graph: AgentGraph, site: Site, call: E.Call) -> Dispatch | None:
    if not call.args and not isinstance(call.func, E.Index):
        return None
    if isinstance(call.func, E.Index) and part(graph, call.func.index, site.fn) == "name":
        return Dispatch(site, "mapping", _site_of(graph, call.func, site))
    if _spreads_arguments(graph, site, call) and not _is_constructor(graph, site, call):
        return Dispatch(site, _looked_up(graph, call, site), _lookup_site(graph, call, site))
    lookup = _lookup_site(graph, call, site) if isinstance(call.func, E.Name) else None
    if lookup is not None and _looks_up_name(graph, lookup):
        return Dispatch(site, _looked_up(graph, call, site), lookup)
    if isinstance(call.func, E.Attr) and call.func.attr in EXECUTORS and _given(graph, site, call):
        return Dispatch(site, "executor")
    if (
        isinstance(call.func, E.Attr)
        and call.func.attr in _RUNS
        and _tool_receiver(graph, call, site)
    ):
        return Dispatch(site, "method")
    return None


def _looks_up_name(graph: AgentGraph, lookup: Site) -> bool:
    """`tools[name]`, `tools.get(name)` or `getattr(module, name)` with a name from the model."""
    match lookup.expr:
        case E.Index(index=key):
            return part(graph, key, lookup.fn) == "name"
        case E.Call(func=E.Attr(attr="get"), args=args) if args:
            return part(graph, args[0].value, lookup.fn) == "name"
        case E.Call(func=E.Name(id="getattr"), args=args) if len(args) > 1:
            return part(graph, args[1].value, lookup.fn) == "name"
        case _:
            return False


_RUNS = frozenset("execute run invoke ainvoke arun _run call forward __call__".split())


def _site_of(graph: AgentGraph, expr: E.Expr, near: Site) -> Site | None:
    return next((s for s in graph.program.sites(near.fn) if s.expr is expr), None)


def _spreads_arguments(graph: AgentGraph, site: Site, call: E.Call) -> bool:
    return any(
        a.star == "**" and part(graph, a.value, site.fn) == "arguments" for a in call.args
    ) and _unknown_callee(graph, site, call)


def _unknown_callee(graph: AgentGraph, site: Site, call: E.Call) -> bool:
    """Whether what is called is chosen at run time and not one function by name."""
    callees = graph.calls.callees(site)
    return len(callees) != 1 or not isinstance(call.func, E.Name) or callees[0].name != call.func.id


def _is_constructor(graph: AgentGraph, site: Site, call: E.Call) -> bool:
    last = last_name(call.func) or ""
    return last[:1].isupper() or last in ("dict", "format", "update", "model_validate", "print")


def _looked_up(
    graph: AgentGraph, call: E.Call, site: Site
) -> Literal["mapping", "getattr", "spread"]:
    lookup = _lookup_site(graph, call, site)
    if lookup is None:
        return "spread"
    return (
        "getattr"
        if isinstance(lookup.expr, E.Call) and last_name(lookup.expr.func) == "getattr"
        else "mapping"
    )


def _lookup_site(graph: AgentGraph, call: E.Call, site: Site) -> Site | None:
    """Where the callee's name was looked up: `tools[name]`, `tools.get(name)`, `getattr(m, name)`."""
    base = call.func.value if isinstance(call.func, E.Attr) else call.func
    if not isinstance(base, E.Name):
        return None
    for binding in graph.program.scope(site.fn).get(base.id, []):
        expr = binding.expr
        while isinstance(expr, E.Await):
            expr = expr.value
        if isinstance(expr, (E.Index, E.Call)):
            return _site_of(graph, expr, site)
    return None


def _given(graph: AgentGraph, site: Site, call: E.Call) -> bool:
    if graph.calls.callees(site):
        return False
    return any(part(graph, a.value, site.fn) in ("name", "arguments", "call") for a in call.args)


def _tool_receiver(graph: AgentGraph, call: E.Call, site: Site) -> bool:
    """`tools[name].run(args)` and `tool.run(args)` with a looked-up tool and the model's arguments."""
    assert isinstance(call.func, E.Attr)
    given = any(part(graph, a.value, site.fn) == "arguments" for a in call.args)
    if not given:
        return False
    base = call.func.value
    if isinstance(base, E.Index):
        return part(graph, base.index, site.fn) == "name"
    words = (dotted(base) or "").lower()
    return "tool" in words or "function" in words or _lookup_site(graph, call, site) is not None


def argument_parses(graph: AgentGraph) -> list[Site]:
    """Every place where a model's argument string is parsed as JSON."""
    found = []
    for last in {p.rpartition(".")[2] for p in PARSERS}:
        for site in graph.program.call_index.get(last, []):
            assert isinstance(site.expr, E.Call)
            names = graph.resolver.dotted(site.expr.func, site.fn)
            if (
                names & PARSERS
                and site.expr.args
                and _is_arguments(graph, site, site.expr.args[0].value)
            ):
                found.append(site)
    return sorted(found, key=lambda s: s.place)


def _is_arguments(graph: AgentGraph, site: Site, expr: E.Expr) -> bool:
    return part(graph, expr, site.fn) == "arguments"


def tool_call_loops(graph: AgentGraph, fn: Fn) -> Iterator[S.For]:
    """The `for` loops of a function that go over the tool calls of one reply."""
    for at in graph.program.statements(fn):
        if isinstance(at.stmt, S.For) and part(graph, at.stmt.iter, fn) == "call":
            yield at.stmt
        elif isinstance(at.stmt, S.For) and _plural_calls(at.stmt.iter):
            yield at.stmt


def _plural_calls(expr: E.Expr) -> bool:
    return (last_name(expr) or "").lower() in (
        "tool_calls",
        "toolcalls",
        "function_calls",
        "tool_uses",
    )
