"""What each part of a target tells of the kind of program that it is, and all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.dispatch import find_dispatches
from agentcheck.graph.effect_words import Weight
from agentcheck.graph.effects import effects_of
from agentcheck.graph.people import asks_a_person
from agentcheck.model.kind import code_kind

PERSON_CALLS = (
    "input", "raw_input", "ask", "prompt", "confirm", "chat_input", "text_input", "ainput",
    "prompt_async", "readline", "ask_user", "get_user_input", "human_input",
)  # fmt: skip


class Sign(Struct, frozen=True, order=True):
    """What shows something, and the file of it: of several signs that of the first file counts.

    Where `rank` differs, the lesser one is first.
    """

    rank: int
    file: str
    text: str


class Clues(Struct, frozen=True):
    """Counts and first signs; `kinds` are the kinds of effects that tools have."""

    agents: int = 0
    tools: int = 0
    model_calls: int = 0
    loops: int = 0
    runs: int = 0
    frameworks: frozenset[str] = frozenset()
    kinds: frozenset[Weight] = frozenset()
    asks: Sign | None = None
    goes_on: Sign | None = None
    dispatches: Sign | None = None
    changes: Sign | None = None
    lasting: Sign | None = None


def clues_of(graph: AgentGraph) -> Clues:
    """What a graph tells."""
    effects = list(_tool_effects(graph))
    calls = {call.framework for call in graph.model_calls} | {r.framework for r in graph.runs}
    made = {agent.framework for agent in graph.agents} | {tool.framework for tool in graph.tools}
    return Clues(
        agents=len(graph.agents),
        tools=len(graph.tools),
        model_calls=len(graph.model_calls),
        loops=len(graph.loops),
        runs=len(graph.runs),
        frameworks=frozenset(calls | {name for name in made if name}),
        kinds=frozenset(kind for kind, _ in effects),
        asks=_person_asked(graph),
        goes_on=_person_goes_on(graph),
        dispatches=_dispatched(graph),
        changes=next((sign for _, sign in effects), None),
        lasting=next((sign for kind, sign in effects if kind != "change"), None),
    )


def together(parts: Iterable[Clues]) -> Clues:
    """What the parts of a target tell of all of it."""
    told = list(parts)
    return Clues(
        agents=sum(one.agents for one in told),
        tools=sum(one.tools for one in told),
        model_calls=sum(one.model_calls for one in told),
        loops=sum(one.loops for one in told),
        runs=sum(one.runs for one in told),
        frameworks=frozenset(name for one in told for name in one.frameworks),
        kinds=frozenset(kind for one in told for kind in one.kinds),
        asks=_first(one.asks for one in told),
        goes_on=_first(one.goes_on for one in told),
        dispatches=_first(one.dispatches for one in told),
        changes=_first(one.changes for one in told),
        lasting=_first(one.lasting for one in told),
    )


def _first(signs: Iterable[Sign | None]) -> Sign | None:
    """The sign of the first file; in one file, the first that was told."""
    return min((s for s in signs if s is not None), key=lambda s: (s.rank, s.file), default=None)


def _person_goes_on(graph: AgentGraph) -> Sign | None:
    """The first loop outside tests in which a person gives each turn."""
    for loop in graph.loops:
        place = loop.place
        if code_kind(place.file) == "test":
            continue
        if any(bound.kind == "person" for bound in loop.bounds):
            where = f"{place.file}:{place.span.line}"
            return Sign(0, place.file, f"{where} goes on with a person turn by turn")
    return None


def _person_asked(graph: AgentGraph) -> Sign | None:
    """The first call outside tests that waits for a person."""
    for rank, name in enumerate(PERSON_CALLS):
        sites = graph.program.call_index.get(name, ())
        for site in sorted(sites, key=lambda site: site.fn.file.path):
            place = site.place
            if code_kind(place.file) != "test" and asks_a_person(graph.calls, site, 0):
                return Sign(rank, place.file, f"{place.file}:{place.span.line} waits for a person")
    return None


def _tool_effects(graph: AgentGraph) -> Iterator[tuple[Weight, Sign]]:
    """What tools outside tests do to the world: the kind of effect, and the sign of it."""
    for tool in graph.tools:
        if code_kind(tool.place.file) != "test":
            for effect in effects_of(graph.tracer, tool):
                where = f"{effect.place.file}:{effect.place.span.line}"
                text = f"{where}: {tool.name}: {effect.why}"
                yield effect.weight, Sign(0, tool.place.file, text)


def _dispatched(graph: AgentGraph) -> Sign | None:
    """The first place outside tests at which tools are run, whichever those are."""
    for dispatch in find_dispatches(graph):
        place = dispatch.site.place
        if code_kind(place.file) != "test":
            where = f"{place.file}:{place.span.line}"
            return Sign(0, place.file, f"{where} runs tools that the model names")
    return None
