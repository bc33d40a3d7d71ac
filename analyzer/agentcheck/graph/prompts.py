"""The text that agents and model calls are given as instructions, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.promptparts import Piece, Pieces
from agentcheck.graph.resolve import Function
from agentcheck.graph.roster import ROLE_WORDS, Agent
from agentcheck.graph.text import argument, last_name, string
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph
    from agentcheck.graph.models import ModelCall

__all__ = ["Piece", "Prompt", "system_prompts"]

_SYSTEM = ("system", "developer")
_MAKERS = ("SystemMessage", "SystemMessagePromptTemplate", "SystemPromptPart")
_KEYWORDS = ("system_instruction", "system_prompt")


class Prompt(Struct, frozen=True, eq=False):
    """Instructions given at one place. `pieces` are its parts in order.

    `agent` or `call` is who gets them, where that is known. `dynamic` is the function that the
    framework calls for the text anew on every run.
    """

    site: Site
    pieces: tuple[Piece, ...]
    agent: Agent | None = None
    call: ModelCall | None = None
    dynamic: Fn | None = None

    @property
    def owner(self) -> str:
        """The agent's name, else the function that gives the text."""
        return self.agent.name if self.agent else self.site.fn.qualname


def system_prompts(graph: AgentGraph, *, up: int = 2) -> list[Prompt]:
    """Every system prompt of the target; parameters are followed `up` levels to the callers."""
    if up not in graph.prompts:
        graph.prompts[up] = list(_system_prompts(graph, up))
    return graph.prompts[up]


def _system_prompts(graph: AgentGraph, up: int) -> Iterator[Prompt]:
    maker = Pieces(graph.tracer, up)
    for agent in graph.agents:
        yield from _of_agent(graph, maker, agent)
    for call in graph.model_calls:
        given = argument(call.call, call.data.system_keyword) if call.data.system_keyword else None
        if given is not None:
            yield Prompt(call.site, maker.of(given, call.site.fn), call=call)
    if graph.prompt_texts is None:
        graph.prompt_texts = list(_written(graph))
    for site, text in graph.prompt_texts:
        yield Prompt(site, maker.of(text, site.fn))


def _written(graph: AgentGraph) -> Iterator[tuple[Site, E.Expr]]:
    """The system messages that the target writes itself, each with its text."""
    agents = {id(a.call) for a in graph.agents}
    for fn in graph.program.every_function():
        for site in graph.program.shaped(fn, E.Entries, E.Items, E.Call):
            yield from ((site, text) for text in _in_site(site, agents))
        yield from _rewritten(graph, fn)


def _of_agent(graph: AgentGraph, maker: Pieces, agent: Agent) -> Iterator[Prompt]:
    keywords = agent.data.instructions_keywords if agent.data else ROLE_WORDS
    for keyword in keywords:
        given = agent.given([keyword])
        if given is None:
            yield from _of_settings(agent, keyword)
            continue
        symbols = graph.resolver.of(given, agent.site.fn)
        functions = [s.fn for s in symbols if isinstance(s, Function)]
        if functions and not isinstance(given, E.Call):
            for fn in functions:
                results: Iterable[E.Expr] = graph.tracer.results(fn)
                parts = tuple(p for r in results for p in maker.of(r, fn))
                yield Prompt(agent.site, parts, agent=agent, dynamic=fn)
        else:
            yield Prompt(agent.site, maker.of(given, agent.site.fn), agent=agent)


def _of_settings(agent: Agent, keyword: str) -> Iterator[Prompt]:
    """The text that a file beside the code gives an agent, as a literal where it asks for it."""
    settings = agent.settings
    if settings is not None and keyword in settings.values:
        text = E.Const(settings.given.where, settings.values[keyword])
        yield Prompt(agent.site, (Piece(text, agent.site.fn, (), settings.file),), agent=agent)


def _in_site(site: Site, agents: set[int]) -> Iterator[E.Expr]:
    """`{"role": "system", "content": x}`, `SystemMessage(x)`, `("system", x)` and the like."""
    match site.expr:
        case E.Entries(entries=entries):
            keyed = {string(e.key): e.value for e in entries if e.key is not None}
            if string(keyed.get("role")) in _SYSTEM and "content" in keyed:
                yield keyed["content"]
        case E.Items(kind="tuple", items=(first, second)) if string(first) == "system":
            yield second
        case E.Call() as call if id(call) not in agents:
            yield from _of_call(call)
        case _:
            return


def _of_call(call: E.Call) -> Iterator[E.Expr]:
    name = last_name(call.func) or ""
    owner = last_name(call.func.value) if isinstance(call.func, E.Attr) else None
    if name in _MAKERS or (owner in _MAKERS and name == "from_template"):
        given = argument(call, "content", 0) or argument(call, "template")
        if given is not None:
            yield given
    elif name[:1].isupper():
        found = (argument(call, keyword) for keyword in _KEYWORDS)
        yield from (given for given in found if given is not None)


def _rewritten(graph: AgentGraph, fn: Fn) -> Iterator[tuple[Site, E.Expr]]:
    """`messages[0]["content"] += x`: the first message is the system prompt."""
    for at in graph.program.statements(fn):
        if type(at.stmt) is not S.Assign and type(at.stmt) is not S.AugAssign:
            continue
        match at.stmt:
            case S.AugAssign(target=target, value=value) if _is_first_content(target):
                yield Site(target, at), value
            case S.Assign(targets=(target,), value=value) if value is not None:
                if _is_first_content(target) and "system" in _spoken_slot(target):
                    yield Site(target, at), value
            case _:
                continue


def _is_first_content(target: E.Expr) -> bool:
    match target:
        case E.Index(value=E.Index(index=E.Const(value=0)), index=E.Const(value="content")):
            return True
        case E.Index(value=E.Name(id=name), index=E.Const(value="content")):
            return "system" in name.lower()
        case _:
            return False


def _spoken_slot(target: E.Expr) -> str:
    inner = target.value if isinstance(target, E.Index) else target
    return (last_name(inner) or "").lower()
