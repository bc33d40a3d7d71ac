"""What recorded runs call things -> where the code defines them.

Runs name tools and agents as models see them, which is not always as the code does: frameworks
spell names anew (`Billing Agent` as `billing_agent`, `sendMail` as `send-mail`), put the server
of a remote tool in front (`mcp__mail__send_mail`, `mail.send_mail`), and make handoffs tools of a
name of their own (`transfer_to_billing_agent` in the OpenAI Agents SDK and langgraph-supervisor).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from agentcheck.model.location import Place
from agentcheck.model.pattern import lazy_re

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

_PREFIX = lazy_re(r"__|[.:/]")
_HANDOFF = lazy_re(r"(?:transfer|handoff|hand_off|handover|delegate)_?(?:back_?)?to_?", re.I)
_LEAST_WORDS = 2
"""Words of a tool's name that are taken for its own where something unknown stands in front."""


class Sighting(NamedTuple):
    """A place in the code that a name may mean, and the names that a run through it would use."""

    place: Place
    names: frozenset[str]


class RunNames:
    """Finds tools and agents by the names that runs have for them."""

    def __init__(self, graph: AgentGraph) -> None:
        self._tools = _by_name((t.name, t.place) for t in (*graph.tools, *graph.handoff_tools))
        self._agents: dict[str, list[Sighting]] = {}
        for agent in graph.agents:
            tools = {tool.name for tool in (*agent.tools, *agent.handoff_tools)}
            others = {other.name for other in agent.handoffs} | {*agent.handed.values()}
            names = frozenset(tools | others)
            self._agents.setdefault(agent.name, []).append(Sighting(agent.site.place, names))

    def is_agent(self, name: str) -> bool:
        """Whether any agent has that name, however it is spelt."""
        return bool(_spelt(name, self._agents))

    def is_tool(self, name: str) -> bool:
        """Whether any tool has that name, under whatever prefix."""
        return bool(self._named(name))

    def tools(self, name: str) -> list[Place]:
        """Where the tools of a name are defined; for a handoff, where its agent is made."""
        known = self._named(name)
        if known:
            return sorted({place for key in known for place in self._tools[key]})
        target = _HANDOFF.sub("", name, count=1) if _HANDOFF.match(name) else ""
        return [each.place for each in self.agents(target)] if target else []

    def agents(self, name: str, seen: Collection[str] = ()) -> list[Sighting]:
        """Where the agents of a name are made: those that fit best to the names `seen` there."""
        found = [each for key in _spelt(name, self._agents) for each in self._agents[key]]
        fits = [len(each.names & set(seen)) for each in found]
        most = max(fits, default=0)
        return [each for each, fit in zip(found, fits, strict=True) if fit == most]

    def _named(self, name: str) -> list[str]:
        exact = _spelt(name, self._tools)
        if exact:
            return exact
        *_, last = _PREFIX.split(name)
        if last and last != name and (found := _spelt(last, self._tools)):
            return found
        ends = [
            key
            for key in self._tools
            if len(_words(key)) >= _LEAST_WORDS and _ends(_words(name), _words(key))
        ]
        return ends if len(ends) == 1 else []


def _by_name(named: Iterable[tuple[str, Place]]) -> dict[str, set[Place]]:
    found: dict[str, set[Place]] = {}
    for name, place in named:
        found.setdefault(name, set()).add(place)
    return found


def _spelt(name: str, known: Collection[str]) -> list[str]:
    """The known name, else those that are the same words in another spelling."""
    if name in known:
        return [name]
    words = _words(name)
    return [key for key in known if words and _words(key) == words]


def _words(name: str) -> list[str]:
    """`sendMail`, `send-mail`, `Send Mail` -> send, mail."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+", name)
    return [part.lower() for part in parts]


def _ends(words: list[str], tail: list[str]) -> bool:
    return len(words) > len(tail) and words[-len(tail) :] == tail
