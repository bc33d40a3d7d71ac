"""The agents of the target: where each is built, with its tools and handoffs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from agentcheck.graph.containers import Element, elements
from agentcheck.graph.given_later import Changes
from agentcheck.graph.handles import Fn, Klass, Site
from agentcheck.graph.members import Link, link_members, untold
from agentcheck.graph.origins import Tracer
from agentcheck.graph.resolve import ClassRef, Function
from agentcheck.graph.settings import Settings, settings
from agentcheck.graph.text import argument, dotted, has_spread, string
from agentcheck.graph.toolkits import toolkits
from agentcheck.graph.toolset import Tool, Toolbox
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import AgentKind, Framework

TOOLS_WORDS = ("tools", "functions", "toolkit", "actions", "plugins")
ROLE_WORDS = (
    "instructions",
    "instruction",
    "system_prompt",
    "system_message",
    "prompt",
    "role",
    "backstory",
    "persona",
    "goal",
    "sys_prompt",
)


class Agent(Struct, eq=False):
    """An agent as built by one call. `klass` is its class when that is in the target.

    `wired` are the places, after the constructor, where tools or handoffs were given to it;
    `handed` maps the name of each handoff tool to that of the agent it leads to; `links` are all
    that it is given, each with the place that gives it. `settings` is what a file beside the code
    gives it.
    """

    name: str
    site: Site
    data: AgentKind | None
    framework: str | None
    klass: Klass | None
    tools: list[Tool] = field(default_factory=list)
    handoffs: list[Agent] = field(default_factory=list)
    handoff_tools: list[Tool] = field(default_factory=list)
    wired: list[Place] = field(default_factory=list)
    handed: dict[str, str] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    settings: Settings | None = None

    @property
    def members(self) -> list[Agent]:
        """The agents that a group holds, each once; none for an agent that is no group."""
        return [x.target for x in self.links if x.kind == "member" and isinstance(x.target, Agent)]

    @property
    def call(self) -> E.Call:
        """The constructor call."""
        return self.site.call

    def given(self, keywords: Sequence[str]) -> E.Expr | None:
        """The first argument given under one of the keywords, or at its known position."""
        for keyword in keywords:
            position = None
            if self.data and keyword in self.data.positional:
                position = self.data.positional.index(keyword)
            found = argument(self.call, keyword, position)
            if found is not None:
                return found
        return None

    @property
    def spread(self) -> bool:
        """Whether `**kwargs` may give it anything."""
        return has_spread(self.call)


FrameworksFor = Callable[[str], "Sequence[Framework]"]
Kinds = dict[str, "tuple[AgentKind | None, str | None]"]


def _kinds(frameworks: Sequence[Framework]) -> Kinds:
    return {n: (k, f.name) for f in frameworks for k in f.agent for n in k.names}


class Roster:
    """Finds agents by their class: known to a framework, derived from one, or shaped like one."""

    def __init__(
        self,
        tracer: Tracer,
        frameworks: Sequence[Framework],
        toolbox: Toolbox,
        for_file: FrameworksFor | None = None,
    ) -> None:
        self.tracer = tracer
        self.toolbox = toolbox
        self.kinds = _kinds(frameworks)
        self._for_file = for_file
        # Elements of agents' tools and handoffs that nothing was found for, with the agent's name.
        self.unresolved: list[tuple[Place, str]] = []
        self.changes = Changes(tracer)

    def kind(self, names: Iterable[str], path: str) -> tuple[AgentKind | None, str | None]:
        """What the frameworks, in the releases of a file, know under any of the names."""
        known = _kinds(self._for_file(path)) if self._for_file else self.kinds
        return next(((known[n]) for n in names if n in known), (None, None))

    def agents(self) -> list[Agent]:
        """Every agent, wired with its tools and handoffs, in source order."""
        found = {id(a.site.expr): a for a in self._constructed()}
        agents = sorted(found.values(), key=lambda a: a.site.place)
        by_call = {id(a.site.expr): a for a in agents}
        for agent in agents:
            self._wire(agent, by_call)
        return agents

    def _constructed(self) -> Iterator[Agent]:
        program = self.tracer.program
        lasts = {name.rpartition(".")[2] for name in self.kinds}
        lasts |= {k.name for k in program.every_class() if self.is_agent_class(k)}
        for last in lasts:
            for site in program.call_index.get(last, []):
                agent = self._agent(site)
                if agent is not None:
                    yield agent

    def _agent(self, site: Site) -> Agent | None:
        names = self.tracer.resolver.dotted(site.call.func, site.fn)
        symbols = self.tracer.resolver.of(site.call.func, site.fn)
        klass = next((s.klass for s in symbols if isinstance(s, ClassRef)), None)
        kind, framework = self.kind(names, site.fn.file.path)
        if kind is None and (klass is None or not self.is_agent_class(klass)):
            return None
        if klass is None and any(isinstance(s, Function) for s in symbols):
            return None
        given = settings(self.tracer, site, kind)
        label = self._label(site, kind, given)
        return Agent(label, site, kind, framework, klass, settings=given)

    def _label(self, site: Site, kind: AgentKind | None, given: Settings | None) -> str:
        keyword = (kind.name_keyword if kind else None) or "name"
        position = kind.positional.index(keyword) if kind and keyword in kind.positional else None
        label = string(argument(site.call, keyword, position))
        written = (given.values.get(keyword) or given.key) if given and not label else None
        return label or written or self.variable(site) or "agent"

    def variable(self, site: Site) -> str | None:
        """The name an expression is assigned to."""
        stmt = site.at.stmt
        if isinstance(stmt, S.Assign) and stmt.value is site.expr and stmt.targets:
            return dotted(stmt.targets[0])
        return None

    def is_agent_class(self, klass: Klass) -> bool:
        """Whether a class of the target makes agents: named so and given both a role and tools."""
        if any(n in self.kinds for n in self.tracer.resolver.names_of(ClassRef(klass))):
            return True
        if not klass.name.endswith(("Agent", "Assistant")):
            return False
        taken = self.accepted(klass)
        return bool(taken & set(TOOLS_WORDS)) and bool(taken & set(ROLE_WORDS))

    def accepted(self, klass: Klass) -> set[str]:
        """The names of fields and constructor parameters of a class and its bases in the target."""
        found: set[str] = set()
        for here in self.tracer.resolver.mro(klass):
            init = here.methods.get("__init__")
            if init is not None:
                found |= {p.name for p in init.facts.params[1:]}
            for stmt in here.facts.body:
                if isinstance(stmt, S.Assign) and stmt.annotation is not None:
                    found |= {t.id for t in stmt.targets if isinstance(t, E.Name)}
        return found

    def _keywords(self, agent: Agent, of: str) -> Sequence[str]:
        if agent.data is not None:
            return agent.data.tools_keywords if of == "tools" else agent.data.handoffs_keywords
        return TOOLS_WORDS if of == "tools" else ("handoffs",)

    def _wire(self, agent: Agent, by_call: dict[int, Agent]) -> None:
        for of in ("tools", "handoffs"):
            keywords = self._keywords(agent, of)
            given = agent.given(keywords)
            found = elements(self.tracer, given, agent.site.fn) if given is not None else []
            found += toolkits(self.toolbox, given, agent.site.fn) if given is not None else []
            found += list(self._given_later(agent, keywords))
            kind: Literal["uses", "hands-to"] = "uses" if of == "tools" else "hands-to"
            for element in found:
                self._take(agent, element, by_call, kind)
            if given is not None and not found and untold(self.tracer, given, agent.site.fn):
                agent.links.append(Link(kind, None, agent.site.fn.place(given.span)))
        link_members(self, agent, by_call)

    def _given_later(self, agent: Agent, keywords: Sequence[str]) -> Iterator[Element]:
        """`agent.tools = [...]`, `agent.tools.append(f)`, `agent.tools += [...]`, anywhere."""
        for site, values in self.changes.of(set(keywords)).get(id(agent.site.expr), ()):
            agent.wired.append(site.fn.place(site.at.stmt.span))
            yield from values

    def _take(
        self,
        agent: Agent,
        element: Element,
        by_call: dict[int, Agent],
        kind: Literal["uses", "hands-to"],
    ) -> None:
        target = self.built_by(element.expr, element.fn, by_call)
        place = element.fn.place(element.expr.span)
        if target is not None:
            agent.handoffs.append(target)
            agent.links.append(Link("hands-to", target, place))
            return
        tools = self.toolbox.of(element)
        if not tools:
            self.unresolved.append((place, agent.name))
            agent.links.append(Link(kind, None, place))
        for tool in tools:
            self._give(agent, tool, place, by_call)

    def _give(self, agent: Agent, tool: Tool, place: Place, by_call: dict[int, Agent]) -> None:
        """Give a tool to an agent: as a way to hand over where it returns other agents."""
        following = self.handed_to(tool.fn, by_call) if tool.fn else []
        agent.links.append(Link("uses", tool, place))
        if following:
            agent.handoffs.extend(following)
            agent.handed[tool.name] = following[0].name
            agent.handoff_tools.append(tool)
            agent.links.extend(Link("hands-to", target, tool.place, tool) for target in following)
        else:
            agent.tools.append(tool)

    def built_by(self, expr: E.Expr, fn: Fn, by_call: dict[int, Agent]) -> Agent | None:
        """The agent an expression is, where it is one; `handoff(agent)` counts."""
        for origin in self.tracer.of(expr, fn, up=3):
            if origin.kind == "call" and not origin.steps and id(origin.expr) in by_call:
                return by_call[id(origin.expr)]
        if (
            isinstance(expr, E.Call)
            and expr.args
            and not self.tracer.calls.callees(self.tracer.site(expr, fn))
        ):
            names = {n.rpartition(".")[2] for n in self.tracer.resolver.dotted(expr.func, fn)}
            if names & {"handoff", "Handoff"}:
                return self.built_by(expr.args[0].value, fn, by_call)
        return None

    def handed_to(self, fn: Fn, by_call: dict[int, Agent]) -> list[Agent]:
        """The agents a function returns, bare or as `agent=` of a result object."""
        found: list[Agent] = []
        for result in self.tracer.results(fn):
            inner = [result]
            if isinstance(result, E.Call):
                inner += [a.value for a in result.args if a.name in ("agent", "goto", "target")]
            for expr in inner:
                agent = self.built_by(expr, fn, by_call)
                if agent is not None and agent not in found:
                    found.append(agent)
        return found
