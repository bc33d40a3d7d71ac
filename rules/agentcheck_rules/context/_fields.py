"""Fields that a function puts on messages, beyond those of the provider's protocol."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    ClassRef,
    E,
    Fn,
    Klass,
    Place,
    S,
    dotted,
    last_name,
    slot,
    string,
)

# The fields of one message: OpenAI's chat and responses APIs, with what LiteLLM, Mistral, Ollama
# and the reasoning models of other providers add to them.
_CHAT = frozenset(
    "role content name tool_calls tool_call_id function_call refusal audio annotations "
    "cache_control reasoning_content reasoning reasoning_details thinking_blocks "
    "provider_specific_fields prefix images thinking tool_name weight type id status phase "
    "call_id output arguments summary encrypted_content".split()
)
_MESSAGES = frozenset({"role", "content"})
_DUMPS = frozenset(
    "loads model_dump model_dump_json dict to_dict json copy deepcopy cast dumps".split()
)
_ADDS = frozenset({"append", "extend", "insert"})
_HISTORIES = frozenset({"messages", "history", "chat_history", "conversation"})


def known_to(framework: str) -> frozenset[str]:
    """The fields that a message may have in the API behind a framework."""
    return _MESSAGES if framework == "anthropic" else _CHAT


class Extra(Struct, frozen=True):
    """A field that the protocol does not know, put on the message `holder` at `place`."""

    key: str
    place: Place
    holder: str


def extras(graph: AgentGraph, fn: Fn, history: str, known: frozenset[str]) -> Iterator[Extra]:
    """The unknown fields of what a function adds to a history."""
    for value in _added(graph, fn, history):
        inner = _undumped(value)
        name = slot(inner) or ""
        for shown in _displays(graph, fn, inner):
            yield from _of_display(fn, shown, known, name)
        if isinstance(inner, E.Name) and not _is_own_class(graph, inner, fn):
            yield from _set_later(graph, fn, inner.id, known)


def adds_to(graph: AgentGraph, fn: Fn, history: str) -> bool:
    """Whether a function adds messages to a history."""
    return next(_added(graph, fn, history), None) is not None


def _added(graph: AgentGraph, fn: Fn, history: str) -> Iterator[E.Expr]:
    for at in graph.program.statements(fn):
        match at.stmt:
            case S.Do(value=E.Call(func=E.Attr(attr=attr, value=base), args=(_, *_) as args)):
                if attr in _ADDS and slot(base) == history:
                    yield from _elements(args[-1].value)
            case S.AugAssign(op="+=", target=target, value=value) if slot(target) == history:
                yield from _elements(value)
            case S.Assign(targets=(target,), value=E.Items() as value) if slot(target) == history:
                yield from _elements(value)
            case _:
                continue


def _elements(value: E.Expr) -> Iterator[E.Expr]:
    if isinstance(value, E.Items):
        yield from value.items
    else:
        yield value


def _undumped(value: E.Expr) -> E.Expr:
    """`message` for `json.loads(message.model_dump_json())`."""
    while isinstance(value, E.Call) and last_name(value.func) in _DUMPS:
        if value.args and last_name(value.func) in ("loads", "dict", "copy", "deepcopy", "cast"):
            value = value.args[-1].value
        elif isinstance(value.func, E.Attr) and not value.args:
            value = value.func.value
        else:
            return value
    return value


def _displays(graph: AgentGraph, fn: Fn, value: E.Expr) -> Iterator[E.Entries]:
    if isinstance(value, E.Entries):
        yield value
    elif isinstance(value, E.Name):
        for origin in graph.tracer.local(value, fn):
            if origin.fn is fn and isinstance(origin.expr, E.Entries) and not origin.steps:
                yield origin.expr


def _of_display(fn: Fn, shown: E.Entries, known: frozenset[str], holder: str) -> Iterator[Extra]:
    keys = {string(e.key): e.key for e in shown.entries if e.key is not None}
    if "role" not in keys:
        return
    for key, expr in keys.items():
        if key is not None and key not in known and expr is not None:
            yield Extra(key, fn.place(expr.span), holder)


def _set_later(graph: AgentGraph, fn: Fn, name: str, known: frozenset[str]) -> Iterator[Extra]:
    """`message.sender = ...` and `message["sender"] = ...`, on what came from a reply or a dict."""
    for at in graph.program.statements(fn):
        for target in at.stmt.targets if isinstance(at.stmt, S.Assign) else ():
            match target:
                case E.Attr(value=E.Name(id=holder), attr=key):
                    pass
                case E.Index(value=E.Name(id=holder), index=E.Const(value=str() as key)):
                    pass
                case _:
                    continue
            if holder == name and key not in known:
                yield Extra(key, at.place, name)


def _is_own_class(graph: AgentGraph, name: E.Name, fn: Fn) -> bool:
    """Whether a name holds something of the target's own making, with fields of its own."""
    return any(
        isinstance(o.expr, E.Call)
        and any(isinstance(s, ClassRef) for s in graph.resolver.of(o.expr.func, o.fn))
        for o in graph.tracer.local(name, fn)
    )


def untyped_fields(graph: AgentGraph, fn: Fn) -> Iterator[tuple[Klass, Place]]:
    """The bare lists of messages in the classes that a function builds."""
    for _, call in graph.program.calls(fn):
        for symbol in graph.resolver.of(call.func, fn):
            if isinstance(symbol, ClassRef):
                yield from _bare_lists(symbol.klass)


def _bare_lists(klass: Klass) -> Iterator[tuple[Klass, Place]]:
    for stmt in klass.facts.body:
        if isinstance(stmt, S.Assign) and stmt.annotation is not None:
            name = slot(stmt.targets[0])
            written = (dotted(stmt.annotation) or "").rpartition(".")[2]
            bare = written.removesuffix("[]") in ("list", "List")
            if name in _HISTORIES and bare and not _names_class(stmt.annotation):
                yield klass, klass.file.place(stmt.span)


def _names_class(annotation: E.Expr) -> bool:
    """Whether `list[X]` says more of an element than that it is a dict."""
    if not isinstance(annotation, E.Index):
        return False
    inner = annotation.index.value if isinstance(annotation.index, E.Index) else annotation.index
    return last_name(inner) not in ("dict", "Dict", "Any")
