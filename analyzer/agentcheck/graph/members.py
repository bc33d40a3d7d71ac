"""What agents are given, expression by expression, and the members of groups of agents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from agentcheck.graph.containers import Element, elements
from agentcheck.graph.handles import Fn
from agentcheck.graph.origins import Tracer
from agentcheck.graph.text import argument
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.graph.roster import Agent, Roster

Agents: TypeAlias = "dict[int, Agent]"  # by the identity of the call that builds each
# Members that are work to do and name their agent under this keyword.
DOER = "agent"


class Link(Struct, frozen=True, eq=False):
    """What one expression gives to an agent; `target` is None where no definition was found.

    `via` is the tool by which an agent hands over to the target, where there is one.
    """

    kind: Literal["uses", "hands-to", "member"]
    target: Tool | Agent | None
    place: Place
    via: Tool | None = None


def untold(tracer: Tracer, given: E.Expr, fn: Fn) -> bool:
    """Whether a list that no element was found in may hold some: it is neither empty nor None."""
    origins = tracer.local(given, fn)
    return not origins or any(
        not isinstance(o.expr, E.Const) and not (isinstance(o.expr, E.Items) and not o.expr.items)
        for o in origins
    )


def link_members(roster: Roster, agent: Agent, by_call: Agents) -> None:
    """Link a group to the agents that it holds, each once."""
    seen: set[int] = set()
    for keyword, given in _given(agent):
        for element in _held(roster, given, agent.site.fn):
            target = _member(roster, element, by_call)
            place = element.fn.place(element.expr.span)
            if target is None and keyword != "tasks":
                agent.links.append(Link("member", None, place))
            elif target is not None and id(target) not in seen:
                seen.add(id(target))
                agent.links.append(Link("member", target, place))


def _given(agent: Agent) -> Iterator[tuple[str, E.Expr]]:
    if agent.data is None or not agent.data.is_group:
        return
    for keyword in agent.data.members_keywords:
        given = agent.given((keyword,))
        if given is not None:
            yield keyword, given


def _held(roster: Roster, given: E.Expr, fn: Fn) -> list[Element]:
    """The elements of a list of members, or the one member that is given."""
    found = elements(roster.tracer, given, fn)
    if not found and untold(roster.tracer, given, fn):
        return [Element(given, fn)]
    return found


def _member(roster: Roster, element: Element, by_call: Agents) -> Agent | None:
    found = roster.built_by(element.expr, element.fn, by_call)
    if found is not None:
        return found
    for origin in roster.tracer.local(element.expr, element.fn):
        doer = argument(origin.expr, DOER) if isinstance(origin.expr, E.Call) else None
        if doer is not None and not origin.steps:
            return roster.built_by(doer, origin.fn, by_call)
    return None
