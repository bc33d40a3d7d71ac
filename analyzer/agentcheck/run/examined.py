"""Code that was read, linked and asked about: as one, or in parts that are put together here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

from msgspec import Struct

from agentcheck.config import Settings
from agentcheck.crosscheck import Answer
from agentcheck.facts.brief import Brief
from agentcheck.model.diagram import Diagram
from agentcheck.model.finding import Finding
from agentcheck.model.report import Workflow
from agentcheck.rule import AgentGraph, Rule
from agentcheck.run.ask import Asker
from agentcheck.run.clues import Clues, clues_of, together
from agentcheck.run.forked import processes
from agentcheck.run.kept_links import Links
from agentcheck.run.linking import Linking
from agentcheck.run.memory import Memory
from agentcheck.run.part import Examiner, Part, Wanted, key_of, owners_of
from agentcheck.run.parts import LARGE_LINES, Parts
from agentcheck.run.reading import Code
from agentcheck.run.request import Request
from agentcheck.run.told import Told, joined
from agentcheck.run.workflows import starts_in, workflows
from agentcheck.source.texts import Texts

Staged = Callable[[Finding], dict[str, str]]


def in_parts(request: Request) -> bool:
    """Whether what was asked for can be told of parts of the target: not where runs are joined to
    code or the whole is drawn."""
    if request.traces or request.drawn or request.whole:
        return False
    return request.stdin is None


class Examined(Struct, frozen=True):
    """What came of the code. `clues` are None where no code was read."""

    code: Code
    answers: list[Answer]
    clues: Clues | None
    owners: list[dict[str, list[str]]]
    workflows: tuple[Workflow, ...] = ()
    staged: Staged | None = None
    drawn: Diagram | None = None


def examined(
    request: Request, settings: Settings, asker: Asker, code: Code, memory: Memory
) -> Examined:
    """Ask about the code: about its graph, or about parts that are linked one by one.

    `asker` is told of the rules that failed.
    """
    if code.graph is not None:
        return _as_one(request, asker, code, code.graph)
    if not code.files:
        return Examined(code, [], None, [], staged=_nothing if request.tests else None)
    return _InParts(request, settings, asker, code, memory).examined()


def _as_one(request: Request, asker: Asker, code: Code, graph: AgentGraph) -> Examined:
    texts = code.texts or Texts(code.root)
    large = sum(file.lines for file in code.files) >= LARGE_LINES
    told = asker.graph(graph, texts, processes(request.jobs) if large else 1)
    _note(texts, told)
    title = code.root.resolve().name
    drawn = None
    if request.drawn or request.traced:
        from agentcheck.graph.diagram import draw

        drawn = draw(graph, title or "target", aside=code.tests)
    return Examined(
        code,
        asker.answers(told),
        clues_of(graph),
        [owners_of(graph)],
        workflows=workflows([starts_in(drawn)]) if drawn is not None else (),
        staged=partial(_staged_by, graph, title) if request.tests else None,
        drawn=drawn if request.drawn else None,
    )


def _staged_by(graph: AgentGraph, root: str, finding: Finding) -> dict[str, str]:
    from agentcheck.acceptance.stage import stage_names

    return stage_names(finding, graph, root)


class _InParts:
    """Looks at code part by part."""

    def __init__(
        self, request: Request, settings: Settings, asker: Asker, code: Code, memory: Memory
    ) -> None:
        self._request = request
        self._settings = settings
        self._asker = asker
        self._code = code
        self._memory = memory

    def examined(self) -> Examined:
        """What came of all parts."""
        request, asker, code = self._request, self._asker, self._code
        rules = [rule for rule in asker.rules if rule.check]
        wanted = Wanted(code.root, self._settings.persona, request.tests, request.traced)
        of_code = [rule for rule in rules if not rule.card.of_tests]
        linking, parts = self._parts(of_code, wanted, code.files, [*code.unread, *code.tests])
        of_tests = [rule for rule in rules if rule.card.of_tests]
        more = self._with_tests(of_tests) if of_tests else []
        whole = joined(part.told for part in (*parts, *more))
        asker.failed = {**whole.failed, **asker.failed}
        _note(code.texts or Texts(code.root), whole)
        return Examined(
            code,
            asker.answers(whole),
            together(part.clues for part in parts),
            [part.owners for part in parts],
            workflows=workflows(part.starts for part in parts),
            staged=_staged_in(parts, linking, code) if request.tests else None,
        )

    def _with_tests(self, rules: Sequence[Rule]) -> list[Part]:
        """What comes of the parts of code and tests together, for rules that look at tests."""
        code = self._code
        files = sorted((*code.files, *code.of_tests), key=attrgetter("path"))
        unread = [*code.unread, *(code.tests if not code.of_tests else ())]
        persona = self._settings.persona
        wanted = Wanted(code.root, persona, tests=False, traced=False, answers=True)
        return self._parts(rules, wanted, files, unread)[1]

    def _parts(
        self, rules: Sequence[Rule], wanted: Wanted, files: Sequence[Brief], unread: Sequence[str]
    ) -> tuple[Linking, list[Part]]:
        """How some files are linked, and what comes of their parts."""
        code, memory = self._code, self._memory
        links = memory.links(files, unread)
        known = links.known() if links is not None else None
        imported = known.imported if known is not None else None
        more = self._settings.frameworks
        linking = Linking(code.root, files, unread, more, memory.pins, imported)
        examiner = Examiner(linking, rules, self._asker.options, wanted)
        kept = memory.parts(code, linking, [rule.name for rule in rules])
        programs = known.programs if known is not None else None
        parts = Parts(files, code, examiner, self._request.jobs, kept, programs)
        found = parts.all()
        if links is not None and known is None:
            links.keep(Links(linking.layout.imported, list(parts.programs)))
        return linking, found


def _staged_in(parts: Sequence[Part], linking: Linking, code: Code) -> Staged:
    """What tests of findings name, by what each part told of its own."""
    from agentcheck.acceptance.stage import completed
    from agentcheck.acceptance.stage_tools import add_tools

    names = {
        (one.topic, one.subject, one.file, one.line): one.names
        for part in parts
        for one in part.stages
    }
    tools = dict[str, bool]()
    for part in parts:
        add_tools(tools, part.tools)
    package = code.root.resolve().name if "__init__.py" in linking.layout.paths else ""

    def staged(finding: Finding) -> dict[str, str]:
        key = key_of(finding.topic, finding.subject, finding.primary)
        return completed(names.get(key, {}), tools, package)

    return staged


def _note(texts: Texts, told: Told) -> None:
    """Let the texts that rules read be known as read."""
    for path in told.texts:
        texts.text(path)


def _nothing(_: Finding) -> dict[str, str]:
    return {}
