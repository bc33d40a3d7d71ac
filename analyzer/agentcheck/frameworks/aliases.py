"""Adds the names under which a thing is reached through what a function or method returned.

`graph = create_react_agent(...)` gives a CompiledStateGraph, whose `invoke` is a run entry. Whoever
resolves `graph.invoke` without running anything knows it as "create_react_agent.invoke".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from agentcheck.frameworks.schema import AgentKind, Framework, ModelCall, Names, RunEntry

Named = TypeVar("Named", AgentKind, RunEntry)


def with_aliases(framework: Framework) -> Framework:
    """The framework with the names that `makes` and `derived` imply."""
    agents = _named(framework.agent, framework.agent)
    calls = tuple(_derived(call) for call in framework.model_call)
    runs = _named(framework.run, agents)
    return msgspec.structs.replace(framework, agent=agents, run=runs, model_call=calls)


def _named(entries: Iterable[Named], agents: tuple[AgentKind, ...]) -> tuple[Named, ...]:
    return tuple(
        msgspec.structs.replace(entry, names=_more(entry.names, agents)) for entry in entries
    )


def _more(names: Names, agents: tuple[AgentKind, ...]) -> Names:
    aliases = [
        f"{maker}{name.removeprefix(kind.makes)}"
        for kind in agents
        if kind.makes
        for name in names
        if name.startswith(f"{kind.makes}.")
        for maker in kind.names
    ]
    return tuple(dict.fromkeys((*names, *aliases)))


def _derived(call: ModelCall) -> ModelCall:
    more = [f"{client}.{method}" for client in call.client for method in call.derived]
    return msgspec.structs.replace(call, client=(*call.client, *more)) if more else call
