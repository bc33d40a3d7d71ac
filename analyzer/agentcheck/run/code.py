"""Source files -> facts and the agent graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agentcheck.config import Settings, UsageError
from agentcheck.model.report import Skipped
from agentcheck.rule import AgentGraph
from agentcheck.run.find import find_files
from agentcheck.run.reading import Code, Reading
from agentcheck.run.request import Request, Tell
from agentcheck.source.collector import collector_paused
from agentcheck.source.texts import Texts

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework
    from agentcheck.model.facts import FileFacts
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
) -> Code:
    """Find, read and link the source files; `memory` knows what earlier runs found and read.

    With `tests` the graph can be had `with_tests`, which are otherwise left aside. Raises
    UsageError for a path that does not exist, NothingRead where not one file could be read.
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
    tell("linking what they define and call")
    texts = Texts(code.root)
    with collector_paused():
        graph = _linked(code, settings.frameworks, texts)
    return replace(code, texts=texts, graph=graph)


def _linked(code: Code, more: tuple[Framework, ...], texts: Texts) -> AgentGraph:
    """The graph of the files, which can be had with the tests that were read beside them."""
    unread = [_as_module(path) for path in code.unread]
    graph = _link(code.root, code.files, [*unread, *code.tests], more, texts)
    if code.of_tests:
        whole = sorted((*code.files, *code.of_tests), key=attrgetter("path"))
        graph.and_tests = partial(_link, code.root, whole, unread, more, texts)
    return graph


def _link(
    root: Path,
    files: Sequence[FileFacts],
    unread: Sequence[str],
    more: tuple[Framework, ...],
    texts: Texts,
) -> AgentGraph:
    """The graph of some files, with the SDKs they import in the releases that the target pins, and
    with what the user knows `more` of."""
    from agentcheck.frameworks.additions import merged
    from agentcheck.frameworks.load import select
    from agentcheck.frameworks.pins import collect_pins
    from agentcheck.graph.build import build

    roots = {i.module.partition(".")[0] for f in files for i in f.imports if not i.level}
    pins = collect_pins(root, [f.path for f in files])

    def known(named: Mapping[str, str | None]) -> tuple[Framework, ...]:
        return merged(select(named, roots), more, named) if more else select(named, roots)

    @cache
    def for_file(path: str) -> tuple[Framework, ...]:
        named = pins.pins_for(path)
        return tuple(_in_release(framework, named) for framework in known(named))

    return build(files, known(pins.whole()), unread, for_file, texts)


def _in_release(framework: Framework, named: Mapping[str, str | None]) -> Framework:
    """A framework as a file has it.

    Where requirements name other SDKs and not this one, something else brings it, in a release
    that nobody can tell; then nothing is known to have moved.
    """
    told = not named or not named.keys().isdisjoint(framework.distributions)
    return framework if told else replace(framework, moved=())


def _as_module(path: str) -> str:
    """The path at which an import looks for something that was not read.

    "a/b.cpython-312-darwin.so" is the module "a/b.py", and the folder "a/b/" a package.
    """
    if path.endswith("/"):
        return f"{path}__init__.py"
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.partition('.')[0]}.py"


def _nothing(paths: tuple[str, ...], skipped: tuple[Skipped, ...]) -> str:
    where = ", ".join(paths)
    if not skipped:
        return f"{where}: no Python file or notebook found; name another path or check --exclude"
    first, more = skipped[0], len(skipped) - 1
    rest = f" (and {more} more)" if more else ""
    return f"{where}: nothing could be read; {first.file}: {first.why}{rest}"
