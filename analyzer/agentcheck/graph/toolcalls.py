"""Which part of a model's tool call a value is: the call, the tool's name, its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.origins import Origin
from agentcheck.graph.text import dotted, last_name, read_key, string
from agentcheck.graph.walk import descend, own_exprs, statements_below
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.facts import FileFacts

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
# Classes of the SDKs for one call: ResponseFunctionToolCall, ToolUseBlock, FunctionCall.
_CALL_CLASSES = ("toolcall", "tooluse", "functioncall")
_CALL_IDS = ("tool_call_id", "tool_use_id", "call_id")
_CALLS = frozenset({"tool_calls", "toolcalls", "function_calls", "tool_uses"})


def mentions_calls(graph: AgentGraph, fn: Fn) -> bool:
    """Whether any file of a function's program has a word for tool calls: without one it handles
    none."""
    if graph.calling is None:
        files = graph.program.files.values()
        found = {graph.program.modules.component(file.path) for file in files if _mentions(file)}
        graph.calling = frozenset(found)
    return graph.program.modules.component(fn.file.path) in graph.calling


def near_calls(graph: AgentGraph) -> Iterator[Fn]:
    """The functions of programs that have a word for tool calls."""
    return (fn for fn in graph.program.every_function() if mentions_calls(graph, fn))


def _mentions(file: FileFacts) -> bool:
    text = "\n".join(file.lines).lower()
    return any(word in text for word in CALL_WORDS)


def part_of(origin: Origin) -> Part | None:
    """Which part of a model's tool call a value is, by the keys it was read through."""
    names = origin.names
    if "json()" in names:
        names = tuple(n for n in names if n != "json()")
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
    if not CALL_STEPS.isdisjoint(names):
        return True
    if origin.kind == "param" and origin.param is not None:
        word = origin.param.lower().lstrip("_")
        said = f"{word} {_annotation(origin)}"
        return any(w in said for w in CALL_WORDS)
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


def _typed_part(graph: AgentGraph, expr: E.Expr, fn: Fn, up: int = 2) -> Part | None:
    """`block["input"]` where the type of the block is tested to be that of a tool call."""
    if isinstance(expr, E.Name):
        given = _passed(graph, expr.id, fn) if up else []
        found = [_typed_part(graph, value, host, up - 1) for value, host in given]
        return next((p for p in found if p is not None), None)
    inner = _unwrapped(expr)
    key = read_key(inner)
    base = inner.value if isinstance(inner, (E.Attr, E.Index)) else None
    if key not in ("input", "arguments", "args", "name") or not isinstance(base, E.Name):
        return None
    if base.id not in _typed_names(graph, fn) and not _typed_above(graph, base.id, fn):
        return None
    return "name" if key == "name" else "arguments"


def _typed_above(graph: AgentGraph, name: str, fn: Fn) -> bool:
    """Whether a parameter is always passed something whose type the caller has tested."""
    given = _passed(graph, name, fn)
    return bool(given) and all(
        isinstance(value, E.Name) and value.id in _typed_names(graph, host) for value, host in given
    )


def _passed(graph: AgentGraph, name: str, fn: Fn) -> list[tuple[E.Expr, Fn]]:
    param = next((p for p in fn.facts.params if p.name == name), None)
    return graph.calls.passed(fn, param) if param is not None else []


def _unwrapped(expr: E.Expr) -> E.Expr:
    while isinstance(expr, E.Call) and last_name(expr.func) in ("cast", "dict") and expr.args:
        expr = expr.args[-1].value
    return expr


def _typed_names(graph: AgentGraph, fn: Fn) -> set[str]:
    """Names that a function tests to be a tool call: by `type`, by class, in a `match`."""
    found = set[str]()
    for at in graph.program.statements(fn):
        if isinstance(at.stmt, S.Match) and any(
            string(e) in CALL_TYPES for c in at.stmt.cases for e in descend(c.pattern)
        ):
            found |= _type_of(at.stmt.subject)
    for site in graph.program.shaped(fn, E.Compare, E.Call):
        match site.expr:
            case E.Compare(left=left, rights=rights) if any(
                string(r) in CALL_TYPES for r in rights
            ):
                found |= _type_of(left)
            case E.Call(func=E.Name(id="isinstance"), args=(first, second)):
                found |= _instance_of(first.value, second.value)
            case _:
                continue
    return found


def _type_of(expr: E.Expr) -> set[str]:
    """The name in `name.type`, `name["type"]` and `name.get("type")`."""
    if read_key(expr) != "type":
        return set()
    base = expr.func if isinstance(expr, E.Call) else expr
    inner = base.value if isinstance(base, (E.Attr, E.Index)) else None
    return {inner.id} if isinstance(inner, E.Name) else set()


def _instance_of(value: E.Expr, kind: E.Expr) -> set[str]:
    names = [(last_name(e) or "").lower().replace("_", "") for e in descend(kind)]
    is_call = any(word in name for word in _CALL_CLASSES for name in names)
    return {value.id} if is_call and isinstance(value, E.Name) else set()


def _block_part(graph: AgentGraph, origin: Origin) -> Part | None:
    """`block.input` and `block.name` of the content blocks of a Messages reply."""
    names = tuple(n for n in origin.names if n != "json()")
    known = any(c.site.expr is origin.expr and c.data.kind == "messages" for c in graph.model_calls)
    if not known or not names or names[0] not in ("content", "content_block"):
        return None
    if "input" in names or "partial_json" in names:
        return "arguments"
    return "name" if names[-1] == "name" else None


def tool_call_loops(graph: AgentGraph, fn: Fn) -> Iterator[S.For]:
    """The `for` loops of a function that go over the tool calls of one reply."""
    for at in graph.program.statements(fn):
        loop = at.stmt
        if type(loop) is S.For and (
            part(graph, loop.iter, fn) == "call"
            or (last_name(loop.iter) or "").lower() in _CALLS
            or answers_each(loop)
        ):
            yield loop


def answers_each(loop: S.For) -> bool:
    """Whether the body makes a tool message for the call id of each thing it goes over."""
    if not isinstance(loop.target, E.Name):
        return False
    for stmt in statements_below(loop):
        for expr in (e for own in own_exprs(stmt) for e in descend(own)):
            if type(expr) is E.Entries:
                for entry in expr.entries:
                    named = entry.key is not None and string(entry.key) in _CALL_IDS
                    if named and dotted(entry.value) == f"{loop.target.id}.id":
                        return True
    return False


def name_tests(graph: AgentGraph, site: Site) -> list[E.Expr]:
    """The tests around a site, `if` or `match`, that compare the model's tool name with a text."""
    found = list[E.Expr]()
    for ctx in site.around():
        match ctx.stmt:
            case S.If(test=test) if ctx.part == "body":
                found.extend(e for e in descend(test) if _is_name_test(graph, e, site.fn))
            case S.Match(subject=subject) if part(graph, subject, site.fn) == "name":
                found.append(subject)
            case _:
                continue
    return found


def _is_name_test(graph: AgentGraph, expr: E.Expr, fn: Fn) -> bool:
    return (
        isinstance(expr, E.Compare)
        and expr.ops in (("==",), ("in",))
        and any(isinstance(r, (E.Const, E.Items)) for r in expr.rights)
        and part(graph, expr.left, fn) == "name"
    )
