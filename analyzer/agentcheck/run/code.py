"""Source files -> facts and the agent graph."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agentcheck.config import Settings, UsageError
from agentcheck.model.report import Skipped
from agentcheck.rule import AgentGraph
from agentcheck.run.find import find_files
from agentcheck.run.linking import Linking
from agentcheck.run.reading import Code, Reading
from agentcheck.run.request import Request, Tell
from agentcheck.source.collector import collector_paused
from agentcheck.source.texts import Texts

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework
    from agentcheck.run.memory import Memory


class NothingRead(UsageError):  # noqa: N818 - names what happened, as its message does
    """Not one file could be read; `skipped` says why."""

    def __init__(self, told: str, skipped: tuple[Skipped, ...]) -> None:
        super().__init__(told)
        self.skipped = skipped


def read_code(
    request: Request,
    settings: Settings,
    tell: Tell,
    memory: Memory | None = None,
    *,
    tests: bool = False,
    link: bool = True,
) -> Code:
    """Find, read and link the source files; `memory` knows what earlier runs found and read.

    With `tests` the graph can be had `with_tests`, which are otherwise left aside. There is none
    where `link` is not set. Raises UsageError for a path that does not exist, NothingRead where
    not one file could be read.
    """
    tell("looking for files")
    found = memory.found if memory is not None else find_files(request, settings)
    if found is None:
        return Code(Path.cwd())
    reading = Reading(found, request.jobs, tell, memory.facts if memory is not None else None)
    code = reading.code(tests=tests)
    if not code.files:
        told = _nothing(request.paths or (request.stdin_name,), code.skipped)
        raise NothingRead(told, code.skipped)
    if not link:
        return replace(code, texts=Texts(code.root))
    tell("linking what they define and call")
    texts = Texts(code.root)
    with collector_paused():
        graph = linked(code, settings.frameworks, texts)
    return replace(code, texts=texts, graph=graph)


def linked(code: Code, more: tuple[Framework, ...], texts: Texts) -> AgentGraph:
    """The graph of the files, which can be had with the tests that were read beside them."""
    linking = Linking(code.root, code.files, [*code.unread, *code.tests], more)
    graph = linking.graph(code.load(file.path for file in code.files), texts)
    if code.of_tests:
        graph.and_tests = partial(_with_tests, code, more, texts)
    return graph


def _with_tests(code: Code, more: tuple[Framework, ...], texts: Texts) -> AgentGraph:
    whole = sorted((*code.files, *code.of_tests), key=attrgetter("path"))
    linking = Linking(code.root, whole, code.unread, more)
    return linking.graph(code.load(file.path for file in whole), texts)


def _nothing(paths: tuple[str, ...], skipped: tuple[Skipped, ...]) -> str:
    where = ", ".join(paths)
    if not skipped:
        return f"{where}: no Python file or notebook found; name another path or check --exclude"
    first, more = skipped[0], len(skipped) - 1
    rest = f" (and {more} more)" if more else ""
    return f"{where}: nothing could be read; {first.file}: {first.why}{rest}"
