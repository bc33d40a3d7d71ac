"""Which keywords an agent's class accepts."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from agentcheck.rule import Agent, AgentGraph, E, Klass, Place, S, argument, last_name, string

MODEL_BASES = frozenset({"pydantic.BaseModel", "pydantic.main.BaseModel", "BaseModel"})
PLAIN_BASES = frozenset(
    {"object", "abc.ABC", "ABC", "typing.Generic", "Generic", "typing.Protocol"}
)
MEANT = {
    "description": ("instructions", "instruction", "system_prompt", "system_message"),
    "prompt": ("instructions", "instruction", "system_prompt"),
    "system_prompt": ("instructions", "instruction"),
    "role": ("instructions", "instruction"),
    "functions": ("tools",),
    "tools": ("functions",),
    "llm": ("model",),
}


@dataclass(frozen=True, slots=True)
class Accepts:
    """The keywords of a class, and what becomes of others. `certain` when read in the target."""

    names: frozenset[str]
    dropped: bool
    label: str
    place: Place | None
    certain: bool


def accepts(graph: AgentGraph, agent: Agent) -> Accepts | None:
    """What an agent's class accepts; None when anything may be given or it cannot be read."""
    if agent.klass is not None:
        return _of_class(graph, agent.klass)
    data = agent.data
    if data is None or not data.keywords or data.unknown == "accepted":
        return None
    label = (last_name(agent.call.func) or data.names[0]).rpartition(".")[2]
    names = frozenset((*data.keywords, *data.positional))
    return Accepts(names, data.unknown == "dropped", label, None, certain=False)


def _of_class(graph: AgentGraph, klass: Klass) -> Accepts | None:
    external = set(graph.resolver.external_bases(klass))
    init = graph.resolver.method(klass, "__init__")
    if external - MODEL_BASES - PLAIN_BASES:
        return None
    place = klass.file.place(klass.facts.name_span)
    if init is not None:
        if any(p.kind == "double_star" for p in init.facts.params):
            return None
        names = frozenset(p.name for p in init.facts.params[1:])
        return Accepts(names, dropped=False, label=klass.name, place=place, certain=True)
    fields = frozenset(n for k in graph.resolver.mro(klass) for n in _fields(k))
    if external & MODEL_BASES:
        extra = _extra(graph, klass)
        if extra == "allow":
            return None
        return Accepts(fields, extra != "forbid", klass.name, place, certain=True)
    if _is_dataclass(graph, klass):
        return Accepts(fields, dropped=False, label=klass.name, place=place, certain=True)
    return None


def _fields(klass: Klass) -> set[str]:
    """Annotated fields with their pydantic aliases."""
    names: set[str] = set()
    for stmt in klass.facts.body:
        if isinstance(stmt, S.Assign) and stmt.annotation is not None:
            names |= {t.id for t in stmt.targets if isinstance(t, E.Name)}
            if isinstance(stmt.value, E.Call):
                for keyword in ("alias", "validation_alias"):
                    alias = string(argument(stmt.value, keyword))
                    names |= {alias} if alias else set()
    return names


def _extra(graph: AgentGraph, klass: Klass) -> str:
    """Pydantic's `extra` setting: from `model_config`, `class Config` or class keywords."""
    for here in graph.resolver.mro(klass):
        for base in here.facts.bases:
            if base.name == "extra":
                return string(base.value) or "unknown"
        for stmt in here.facts.body:
            if isinstance(stmt, S.Assign) and any(
                last_name(t) == "model_config" for t in stmt.targets
            ):
                found = _setting(stmt.value)
                if found:
                    return found
            if isinstance(stmt, S.Define) and stmt.name == "Config" and stmt.kind == "class":
                config = graph.program.classes[here.file.path][stmt.index]
                for inner in config.facts.body:
                    if isinstance(inner, S.Assign) and last_name(inner.targets[0]) == "extra":
                        return (
                            string(inner.value) or last_name(inner.value or inner.targets[0]) or ""
                        )
    return "ignore"


def _setting(value: E.Expr | None) -> str | None:
    match value:
        case E.Call():
            return string(argument(value, "extra"))
        case E.Entries(entries=entries):
            found = [e.value for e in entries if e.key is not None and string(e.key) == "extra"]
            return string(found[0]) if found else None
        case _:
            return None


def _is_dataclass(graph: AgentGraph, klass: Klass) -> bool:
    host = graph.program.module(klass.file.path)
    for decorator in klass.facts.decorators:
        func = decorator.func if isinstance(decorator, E.Call) else decorator
        names = graph.resolver.dotted(func, host)
        if names & {"dataclasses.dataclass", "attrs.define", "attr.s", "attrs.frozen"}:
            return True
    return False


def nearest(keyword: str, known: frozenset[str], value: E.Expr) -> str | None:
    """The keyword that was probably meant: by role for long texts, else by spelling."""
    for candidate in MEANT.get(keyword, ()):
        if candidate in known:
            return candidate
    close = difflib.get_close_matches(keyword, sorted(known), n=1, cutoff=0.75)
    return close[0] if close else None
