"""Some files of a target, linked and asked about: what comes of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.layout import ElsewhereError
from agentcheck.model.assessment import Assessment, Evidence
from agentcheck.model.card import PERSONAS, Persona
from agentcheck.model.facts import FileFacts
from agentcheck.rule import Rule, RuleOptions
from agentcheck.run.ask import Asker
from agentcheck.run.clues import Clues, clues_of
from agentcheck.run.linking import Linking
from agentcheck.run.told import Told, concluded
from agentcheck.run.workflows import Starts, starts_in
from agentcheck.source.collector import collector_paused
from agentcheck.source.texts import Texts


class Wanted(Struct, frozen=True):
    """What a report needs of each part beside the answers: its workflows, where `traced`, and
    what acceptance tests have to name, where `tests`, of findings for a `persona`.

    With `answers` it needs nothing else.
    """

    root: Path
    persona: Persona
    tests: bool
    traced: bool
    answers: bool = False


class Stage(Struct, frozen=True, array_like=True):
    """What the acceptance test of a finding has to name, by what tells the finding."""

    topic: str
    subject: str
    file: str
    line: int
    names: dict[str, str]


class Part(Struct):
    """What comes of a part. `owners` are the files of what it defines, by name; `tools` its tools
    as acceptance tests name them. With any `missed`, files of the target that it was linked
    without, it is not the whole of it. It is not `sure` where a file has changed meanwhile.
    """

    told: Told
    clues: Clues
    starts: Starts
    owners: dict[str, list[str]]
    stages: list[Stage] = []
    tools: dict[str, bool] = {}
    missed: list[str] = []
    sure: bool = True


class Examiner:
    """Links parts of a target and asks about them."""

    def __init__(
        self,
        linking: Linking,
        rules: Sequence[Rule],
        options: Mapping[str, RuleOptions],
        wanted: Wanted,
    ) -> None:
        self.linking = linking
        self.rules = rules
        self.options = options
        self.wanted = wanted

    def part(self, files: Sequence[FileFacts], jobs: int = 1) -> Part:
        """What comes of some files; rules may be asked in several processes."""
        texts = Texts(self.wanted.root)
        try:
            with collector_paused():
                return self.of_graph(self.linking.graph(files, texts), texts, jobs)
        except ElsewhereError as error:
            return Part(Told([], {}), Clues(), Starts(), {}, missed=[error.path])

    def of_graph(self, graph: AgentGraph, texts: Texts, jobs: int = 1) -> Part:
        """What comes of files that are linked."""
        told = Asker(self.rules, self.options).graph(graph, texts, jobs)
        part = Part(told, Clues(), Starts(), {})
        if not self.wanted.answers:
            part = Part(told, clues_of(graph), self._starts(graph), owners_of(graph))
        if self.wanted.tests:
            self._stage(part, graph)
        part.told.texts = tuple(dict.fromkeys((*part.told.texts, *texts.asked)))
        part.missed = sorted(graph.program.missed | told.missed)
        return part

    def _starts(self, graph: AgentGraph) -> Starts:
        if not self.wanted.traced:
            return Starts()
        from agentcheck.graph.diagram import draw

        return starts_in(draw(graph, "part"))

    def _stage(self, part: Part, graph: AgentGraph) -> None:
        from agentcheck.acceptance.scenarios import TOPICS
        from agentcheck.acceptance.stage import names_in_part
        from agentcheck.acceptance.stage_tools import written_tools

        for topic, said in self._hits(part.told):
            if topic in TOPICS:
                spot = _Spot(topic, said.subject, primary_of(said.evidence))
                names = names_in_part(spot, graph)
                part.stages.append(Stage(*key_of(topic, said.subject, spot.primary), names))
        part.tools = written_tools(graph)

    def _hits(self, told: Told) -> Iterator[tuple[str, Assessment]]:
        """What there may be findings of, with the topic."""
        by_name = {rule.name: rule for rule in self.rules}
        said = [(by_name[name], one) for name, one in told.said]
        said += [(rule, one) for rule in self.rules for one in concluded(rule, told)]
        for rule, one in said:
            if one.hit is not None and self._is_shown(one.hit.persona or rule.card.persona):
                yield rule.card.topic, one

    def _is_shown(self, persona: Persona) -> bool:
        return PERSONAS.index(persona) <= PERSONAS.index(self.wanted.persona)


class _Spot(Struct, frozen=True):
    topic: str
    subject: str
    primary: Evidence


def primary_of(evidence: Sequence[Evidence]) -> Evidence:
    """The evidence that a finding points at first."""
    return next((e for e in evidence if e.role == "primary"), evidence[0])


def key_of(topic: str, subject: str, primary: Evidence) -> tuple[str, str, str, int]:
    """What tells a finding, as far as its acceptance test is concerned."""
    return topic, subject, primary.file, getattr(primary, "line", 0)


def owners_of(graph: AgentGraph) -> dict[str, list[str]]:
    """The files that define functions, classes, agents and tools, by name."""
    found: dict[str, set[str]] = defaultdict(set)
    program = graph.program
    places = [(fn.qualname, fn.file.path) for fn in program.every_function() if fn.index]
    places += [(klass.facts.name, klass.file.path) for klass in program.every_class()]
    places += [(agent.name, agent.site.place.file) for agent in graph.agents]
    places += [(tool.name, tool.place.file) for tool in graph.tools]
    for name, file in places:
        found[name].add(file)
    return {name: sorted(files) for name, files in found.items()}
