"""Which keywords an agent's class accepts."""

from __future__ import annotations

import difflib

from msgspec import Struct

from agentcheck.rule import Agent, AgentGraph, Klass, Place
from agentcheck_rules.handoffs._fields import (
    Fields,
    dataclass_fields,
    pydantic_fields,
    tuple_fields,
)

MODEL_BASES = frozenset(
    {
        "pydantic.BaseModel",
        "pydantic.main.BaseModel",
        "pydantic.v1.BaseModel",
        "pydantic.generics.GenericModel",
        "BaseModel",
    }
)
TUPLE_BASES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple", "NamedTuple"})
# A `Generic[T]` is read as its parameter.
PLAIN_BASES = frozenset(
    {
        "object", "abc.ABC", "ABC", "typing.Generic", "Generic", "typing.Protocol",
        "typing.TypeVar", "typing_extensions.TypeVar", "typing.ParamSpec",
    }
)  # fmt: skip
MEANT = {
    "description": ("instructions", "instruction", "system_prompt", "system_message"),
    "prompt": ("instructions", "instruction", "system_prompt"),
    "system_prompt": ("instructions", "instruction"),
    "role": ("instructions", "instruction"),
    "functions": ("tools",),
    "tools": ("functions",),
    "llm": ("model",),
}


class Accepts(Struct, frozen=True):
    """The keywords of a class, and what becomes of others.

    `certain` when read in the target. `gone` are those of older releases, with what to use now.
    """

    names: frozenset[str]
    dropped: bool
    label: str
    place: Place | None
    certain: bool
    gone: dict[str, tuple[str, str]]


def accepts(graph: AgentGraph, agent: Agent) -> Accepts | None:
    """What an agent's class accepts; None when anything may be given or it cannot be read."""
    if agent.klass is not None:
        fields = _of_class(graph, agent.klass)
        if fields is None:
            return None
        label, place = agent.klass.name, agent.klass.file.place(agent.klass.facts.name_span)
        return Accepts(fields.names, fields.dropped, label, place, certain=True, gone={})
    data = agent.data
    if data is None or not data.keywords or data.unknown == "accepted":
        return None
    label = data.names[0].rpartition(".")[2]
    names = frozenset((*data.keywords, *data.positional))
    gone = _gone(graph, agent, data.names)
    return Accepts(names, data.unknown == "dropped", label, None, certain=False, gone=gone)


def _of_class(graph: AgentGraph, klass: Klass) -> Fields | None:
    external = set(graph.resolver.external_bases(klass))
    if external - MODEL_BASES - TUPLE_BASES - PLAIN_BASES or _hides_a_base(graph, klass):
        return None
    init = graph.resolver.method(klass, "__init__")
    if init is not None:
        if any(p.kind == "double_star" for p in init.facts.params):
            return None
        taken = (p.name for p in init.facts.params[1:] if p.kind in ("positional", "keyword"))
        return Fields(frozenset(taken), dropped=False)
    if graph.resolver.method(klass, "__new__") is not None:
        return None
    if external & MODEL_BASES:
        return pydantic_fields(graph, klass)
    if external & TUPLE_BASES:
        return tuple_fields(graph, klass)
    return dataclass_fields(graph, klass)


def _hides_a_base(graph: AgentGraph, klass: Klass) -> bool:
    """Whether a base cannot be resolved, or a metaclass may make the constructor."""
    for here in graph.resolver.mro(klass):
        host = graph.program.functions[here.file.path][here.facts.parent]
        for base in here.facts.bases:
            named = graph.resolver.dotted(base.value, host)
            if base.name is None and not named:
                return True
            if base.star or (base.name == "metaclass" and not named & {"abc.ABCMeta"}):
                return True
    return False


def _gone(graph: AgentGraph, agent: Agent, owners: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """The keywords that the agent's class once had: since which release not, and what instead."""
    return {
        removed.keyword: (removed.since, removed.instead)
        for framework in graph.frameworks_for(agent.site.fn.file.path)
        if framework.name == agent.framework
        for removed in framework.removed
        if removed.owner in owners
    }


def meant(keyword: str, known: Accepts, alike: float = 0.75) -> tuple[str | None, bool]:
    """The keyword that was probably meant, and whether spelling alone tells it.

    `alike` is how much of the spelling has to agree, from 0 to 1.
    """
    _, instead = known.gone.get(keyword, ("", ""))
    for candidate in (instead, *MEANT.get(keyword, ())):
        if candidate in known.names:
            return candidate, False
    close = difflib.get_close_matches(keyword, sorted(known.names), n=2, cutoff=alike)
    return (close[0] if close else None), len(close) == 1
