"""Code that was read, linked and asked about: as one, or in parts that are put together here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

from msgspec import Struct

from agentcheck.config import Settings
from agentcheck.crosscheck import Answer
from agentcheck.model.diagram import Diagram
from agentcheck.model.finding import Finding
from agentcheck.model.report import Workflow
from agentcheck.rule import AgentGraph, Rule
from agentcheck.run.ask import Asker
from agentcheck.run.clues import Clues, clues_of, together
from agentcheck.run.forked import processes
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
    return _in_parts(request, settings, asker, code, memory)


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


def _in_parts(
    request: Request, settings: Settings, asker: Asker, code: Code, memory: Memory
) -> Examined:
    rules = [rule for rule in asker.rules if rule.check]
    unread = [*code.unread, *code.tests]
    linking = Linking(code.root, code.files, unread, settings.frameworks, memory.pins)
    wanted = Wanted(code.root, settings.persona, request.tests, request.traced)
    of_code = [rule for rule in rules if not rule.card.of_tests]
    examiner = Examiner(linking, of_code, asker.options, wanted)
    kept = memory.parts(code, linking, [rule.name for rule in of_code])
    parts = Parts(code.files, code, examiner, request.jobs, kept).all()
    told = [part.told for part in parts]
    of_tests = [rule for rule in rules if rule.card.of_tests]
    if of_tests:
        told += [
            part.told for part in _with_tests(request, settings, asker, code, of_tests, memory)
        ]
    whole = joined(told)
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


def _with_tests(
    request: Request,
    settings: Settings,
    asker: Asker,
    code: Code,
    rules: Sequence[Rule],
    memory: Memory,
) -> list[Part]:
    """What comes of the parts of code and tests together, for rules that look at tests."""
    files = sorted((*code.files, *code.of_tests), key=attrgetter("path"))
    unread = list(code.unread)
    unread += code.tests if not code.of_tests else ()
    linking = Linking(code.root, files, unread, settings.frameworks, memory.pins)
    wanted = Wanted(code.root, settings.persona, tests=False, traced=False, answers=True)
    examiner = Examiner(linking, rules, asker.options, wanted)
    kept = memory.parts(code, linking, [rule.name for rule in rules])
    return Parts(files, code, examiner, request.jobs, kept).all()


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
