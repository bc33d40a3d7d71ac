"""Lists that outlive a request: of a module, of a class, of a parameter's default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import AgentGraph, E, Fn, Klass, Located, Place, S, last_name, lazy_re, slot
from agentcheck_rules.context._history import growth

NAMED = lazy_re(
    r"(^|_)(messages?|msgs|history|histories|conversations?|transcript|chat_log|memory|turns|"
    r"dialogue|input_items)$",
    re.IGNORECASE,
)
Where = Literal["module", "class", "default"]
_MAKERS = frozenset({"list", "deque"})
# Objects of the SDKs that hold one conversation; made once, they hold everybody's.
_MEMORIES = frozenset(
    "ConversationBufferMemory ConversationBufferWindowMemory ConversationSummaryMemory "
    "ConversationSummaryBufferMemory ChatMessageHistory InMemoryChatMessageHistory "
    "ChatMemoryBuffer ConversationTokenBufferMemory".split()
)


class Kept(Struct, frozen=True):
    """One list `name`, made at `made`, that `fn` makes longer at `grown`."""

    where: Where
    name: str
    made: Place
    fn: Fn
    grown: Place


def is_list(value: E.Expr | None) -> bool:
    """Whether a value is a new list: a display, `list()`, `deque(...)`."""
    if isinstance(value, E.Items):
        return value.kind == "list"
    return isinstance(value, E.Call) and last_name(value.func) in _MAKERS


def is_memory(value: E.Expr | None) -> bool:
    """Whether a value is a new object that holds one conversation."""
    return isinstance(value, E.Call) and last_name(value.func) in _MEMORIES


def made_in(graph: AgentGraph, path: str) -> dict[str, Located]:
    """The lists and memories that the body of a file makes, by name."""
    module = graph.program.module(path)
    return {name: at for at in graph.program.statements(module) for name in _made(at)}


def of_modules(graph: AgentGraph, fn: Fn, shared: dict[str, Located]) -> Iterator[Kept]:
    """The lists of its module, all of which are `shared`, that a function makes longer."""
    own = _own_names(graph, fn)
    for at in graph.program.statements(fn):
        name = growth(at)
        if name in shared and name not in own and NAMED.search(name):
            if _emptied(graph, fn, name):
                continue
            yield Kept("module", name, shared[name].place, fn, at.place)
    memories = {n: at for n, at in shared.items() if _is_memory_at(at)}
    for site in graph.program.shaped(fn, E.Name) if memories else ():
        if isinstance(site.expr, E.Name) and site.expr.id in memories and site.expr.id not in own:
            name = site.expr.id
            yield Kept("module", name, memories[name].place, fn, site.place)


def _emptied(graph: AgentGraph, fn: Fn, name: str) -> bool:
    """Whether the function begins anew with the list: `name.clear()`, `name = []`."""
    for at in graph.program.statements(fn):
        match at.stmt:
            case S.Do(value=E.Call(func=E.Attr(attr="clear", value=base))) if slot(base) == name:
                return True
            case S.Assign(targets=(target,), value=value) if is_list(value):
                if slot(target) == name and growth(at) is None:
                    return True
            case _:
                continue
    return False


def _is_memory_at(at: Located) -> bool:
    return isinstance(at.stmt, S.Assign) and is_memory(at.stmt.value)


def _made(at: Located) -> Iterator[str]:
    """The names that a statement of a module makes a list or a memory."""
    if not isinstance(at.stmt, S.Assign) or any(isinstance(c.stmt, S.If) for c in at.around()):
        return
    if is_list(at.stmt.value) or is_memory(at.stmt.value):
        yield from (t.id for t in at.stmt.targets if isinstance(t, E.Name))


def _own_names(graph: AgentGraph, fn: Fn) -> set[str]:
    """The names that are a function's own: bound in it or around it, and not global in it."""
    found: set[str] = set()
    here: Fn | None = fn
    while here is not None and here.index != 0:
        scope = graph.program.scope(here)
        found |= {n for n, bs in scope.items() if any(b.how != "augmented" for b in bs)}
        found -= _globals(graph, here)
        here = graph.program.parent(here)
    return found - _globals(graph, fn)


def _globals(graph: AgentGraph, fn: Fn) -> set[str]:
    """The names that a function says belong to the module."""
    said = [at.stmt for at in graph.program.statements(fn) if isinstance(at.stmt, S.Scope)]
    return {name for stmt in said if stmt.kind == "global" for name in stmt.names}


def of_classes(graph: AgentGraph, klass: Klass) -> Iterator[Kept]:
    """The lists that a class body makes and its methods make longer through `self`."""
    if klass.facts.bases or klass.facts.decorators:
        return  # models and dataclasses copy what the body says, or refuse it
    made = {
        target.id: stmt
        for stmt in klass.facts.body
        if isinstance(stmt, S.Assign) and is_list(stmt.value)
        for target in stmt.targets
        if isinstance(target, E.Name) and NAMED.search(target.id)
    }
    for name, stmt in made.items():
        places = [(m, at) for m in klass.methods.values() for at in graph.program.statements(m)]
        if any(_sets(at, f"self.{name}") for _, at in places):
            continue
        grown = next(((m, at) for m, at in places if growth(at) in _called(klass, name)), None)
        if grown is not None:
            yield Kept("class", name, klass.file.place(stmt.span), grown[0], grown[1].place)


def _called(klass: Klass, name: str) -> tuple[str, ...]:
    return (f"self.{name}", f"cls.{name}", f"{klass.name}.{name}")


def _sets(at: Located, name: str) -> bool:
    """Whether an object gets a list of its own."""
    return isinstance(at.stmt, S.Assign) and any(slot(t) == name for t in at.stmt.targets)


def of_defaults(graph: AgentGraph, fn: Fn) -> Iterator[Kept]:
    """The parameters whose default is a list that the function makes longer in place."""
    for param in fn.facts.params:
        if not is_list(param.default) or not NAMED.search(param.name):
            continue
        at = next((a for a in graph.program.statements(fn) if _in_place(a, param.name)), None)
        rebound = any(
            _sets(a, param.name)
            for a in graph.program.statements(fn)
            if at is not None and a.place.span.line < at.place.span.line
        )
        if at is not None and not rebound:
            yield Kept("default", param.name, fn.place(param.span), fn, at.place)


def _in_place(at: Located, name: str) -> bool:
    """`x.append(...)` and `x += ...`; `x = x + [...]` makes a new list."""
    return not isinstance(at.stmt, S.Assign) and growth(at) == name
