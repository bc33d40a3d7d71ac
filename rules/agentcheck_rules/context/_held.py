"""Which messages a list holds, as far as the code of its users says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, Fn, S, Site, descend, dotted, last_name, string
from agentcheck_rules.context._cuts import Cut, dotted_slot, whole

_SYSTEM = frozenset({"system", "developer"})
_SYSTEM_MAKERS = frozenset({"SystemMessage", "SystemMessagePromptTemplate"})
_TOOL_TYPES = frozenset({"tool_result", "function_call_output"})
_TOOL_MAKERS = frozenset({"ToolMessage", "FunctionMessage", "ToolResultBlockParam"})
_WHOLE = frozenset({"to_input_list", "all_messages"})


def holders(graph: AgentGraph, fn: Fn, name: str) -> list[tuple[Fn, str]]:
    """The functions that may fill a list, each with its own name for it."""
    found = [(fn, name)]
    klass = graph.program.self_class(fn)
    if name.startswith("self.") and klass is not None:
        return found + [(m, name) for m in klass.methods.values() if m is not fn]
    bound = graph.program.scope(fn).get(name, ())
    param = next((b.param for b in bound if b.how == "param"), None)
    if param is not None:
        passed = graph.calls.passed(fn, param)
        return found + [(host, s) for value, host in passed if (s := dotted_slot(value))]
    if all(b.how == "augmented" for b in bound) or _is_global(graph, fn, name):
        users = graph.program.functions[fn.file.path]
        found += [(f, name) for f in users if f is not fn and _sees_global(graph, f, name)]
    return found


def _is_global(graph: AgentGraph, fn: Fn, name: str) -> bool:
    said = (at.stmt for at in graph.program.statements(fn))
    return any(isinstance(s, S.Scope) and s.kind == "global" and name in s.names for s in said)


def _sees_global(graph: AgentGraph, fn: Fn, name: str) -> bool:
    return fn.index == 0 or name not in graph.program.scope(fn) or _is_global(graph, fn, name)


def messages_of(graph: AgentGraph, cut: Cut) -> Iterator[tuple[E.Expr, Fn]]:
    """The messages that the list may hold when it is cut, each with where it is put in."""
    for host, name in holders(graph, cut.fn, cut.source):
        for message in held_in(graph, host, name):
            if not any(dotted_slot(e) == name for e in descend(message)):
                yield message, host


def reaches_model(graph: AgentGraph, cut: Cut) -> bool:
    """Whether one of the functions that fill or cut the list asks a model with it."""
    hosts = [host for host, _ in holders(graph, cut.fn, cut.source)]
    return cut.sent or any(graph.drives.reaches(host) for host in hosts)


def held_in(graph: AgentGraph, host: Fn, name: str) -> Iterator[E.Expr]:
    """The messages that a function puts into a list: displays, appended, inserted, added."""
    for at in graph.program.statements(host):
        match at.stmt:
            case S.Assign(targets=(target,), value=value) if value is not None:
                if whole(target) == name:
                    yield from _listed(value)
            case S.AugAssign(op="+=", target=target, value=value) if whole(target) == name:
                yield from _listed(value)
            case S.Do(value=E.Call(func=E.Attr(attr=attr, value=base), args=args)):
                if attr in ("append", "extend", "insert") and dotted_slot(base) == name and args:
                    yield from _listed(args[-1].value)
            case _:
                continue


def _listed(value: E.Expr) -> Iterator[E.Expr]:
    """The messages in a value: the elements of displays, and of sums and copies of them."""
    match value:
        case E.Items(items=items):
            yield from items
        case E.Binary(op="+", left=left, right=right):
            yield from (*_listed(left), *_listed(right))
        case E.Call(args=args) if last_name(value.func) in ("list", "deque") and args:
            yield from _listed(args[0].value)
        case E.Comp(element=element):
            yield element
        case _:
            yield value


def is_system(message: E.Expr) -> bool:
    """Whether a message is a system message as written."""
    return role_of(message) in _SYSTEM or (
        isinstance(message, E.Call) and last_name(message.func) in _SYSTEM_MAKERS
    )


def role_of(message: E.Expr) -> str | None:
    """The role in a display of a message, or given to its class."""
    if isinstance(message, E.Entries):
        shown = (e.value for e in message.entries if e.key and string(e.key) == "role")
        return next((string(v) for v in shown), None)
    if isinstance(message, E.Call):
        return next((string(a.value) for a in message.args if a.name == "role"), None)
    return None


def is_of_tools(message: E.Expr) -> bool:
    """Whether a message answers a tool call as written."""
    for part in descend(message):
        if role_of(part) == "tool":
            return True
        if isinstance(part, E.Call) and last_name(part.func) in _TOOL_MAKERS:
            return True
        if isinstance(part, E.Entries):
            typed = (string(e.value) for e in part.entries if e.key and string(e.key) == "type")
            if any(kind in _TOOL_TYPES for kind in typed):
                return True
    return False


def answers_calls(graph: AgentGraph, message: E.Expr, host: Fn) -> bool:
    """Whether a message, or a list of results in it, answers a tool call."""
    if is_of_tools(message):
        return True
    names = {dotted_slot(e) for e in descend(message)} - {""}
    within = (m for name in names for m in held_in(graph, host, name))
    return any(is_of_tools(m) for m in within) or _of_a_run(graph, message, host)


def _of_a_run(graph: AgentGraph, message: E.Expr, host: Fn) -> bool:
    """`result.to_input_list()` where the file has an agent with tools."""
    if not any(isinstance(e, E.Call) and last_name(e.func) in _WHOLE for e in descend(message)):
        return False
    return any(a.tools for a in graph.agents if a.site.fn.file is host.file)


def tested(graph: AgentGraph, fn: Fn, words: re.Pattern[str]) -> Site | None:
    """Where a function compares something with one of some words, or calls what bears one."""
    for site in graph.program.shaped(fn, E.Compare, E.Call):
        match site.expr:
            case E.Compare() as compared:
                if any(words.search(w) for e in descend(compared) for w in _words(e)):
                    return site
            case E.Call(func=func):
                name = (dotted(func) or "").rpartition(".")[2]
                if words.search(name) and not name[:1].isupper():
                    return site
            case _:
                continue
    return None


def _words(expr: E.Expr) -> Iterator[str]:
    match expr:
        case E.Const(value=str() as value):
            yield value
        case E.Attr(attr=attr):
            yield attr
        case E.Name(id=name):
            yield name
        case _:
            return
