"""Source files -> facts and the agent graph."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.config import Settings, UsageError
from agentcheck.model.facts import FileFacts
from agentcheck.model.report import Skipped
from agentcheck.rule import AgentGraph
from agentcheck.run.find import find_files
from agentcheck.run.request import Request, Tell
from agentcheck.source.collector import collector_paused
from agentcheck.source.texts import Texts

if TYPE_CHECKING:
    from agentcheck.facts.kept import KeptFacts
    from agentcheck.frameworks.schema import Framework
    from agentcheck.run.memory import Memory
    from agentcheck.source.discover import Discovery


class NothingRead(UsageError):  # noqa: N818 - names what happened, as its message does
    """Not one file could be read; `skipped` says why."""

    def __init__(self, told: str, skipped: tuple[Skipped, ...]) -> None:
        super().__init__(told)
        self.skipped = skipped


class Code(Struct, frozen=True):
    """The code that was read. `graph` is None when none was asked for.

    `unread` are paths of files and folders that are there but were not read, `texts` what was read
    beside the code. `sure` where the same bytes will always come to the same.
    """

    root: Path
    files: tuple[FileFacts, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unread: tuple[str, ...] = ()
    graph: AgentGraph | None = None
    texts: Texts | None = None
    sure: bool = True


def read_code(
    request: Request, settings: Settings, tell: Tell, memory: Memory | None = None
) -> Code:
    """Find, read and link the source files; `memory` knows what earlier runs found and read.

    Raises UsageError for a path that does not exist, NothingRead where not one file could be read.
    """
    tell("looking for files")
    found = memory.found if memory is not None else find_files(request, settings)
    if found is None:
        return Code(Path.cwd())
    code = _read(found, request.jobs, tell, memory.facts if memory is not None else None)
    if not code.files:
        told = _nothing(request.paths or (request.stdin_name,), code.skipped)
        raise NothingRead(told, code.skipped)
    tell("linking what they define and call")
    texts = Texts(code.root)
    with collector_paused():
        graph = _linked(code, settings.frameworks, texts)
    return replace(code, texts=texts, graph=graph)


def _read(found: Discovery, jobs: int | None, tell: Tell, facts: KeptFacts | None) -> Code:
    from agentcheck.facts.pool import read_outcomes

    done, count = 0, len(found.files)

    def more(files: int) -> None:
        nonlocal done
        done += files
        tell(f"read {done} of {count} files")

    outcomes = read_outcomes(found.files, jobs, more, kept=facts)
    files = tuple(one.facts for one in outcomes if one.facts is not None)
    skipped = tuple(skipped for one in outcomes for skipped in one.skipped)
    unread = (*found.passed_over, *(one.file for one in skipped))
    sure = all(one.sure for one in outcomes)
    return Code(found.root, files, (*found.skipped, *skipped), unread, sure=sure)


def _linked(code: Code, more: tuple[Framework, ...], texts: Texts) -> AgentGraph:
    """The graph of the files, with the SDKs they import in the releases that the target pins, and
    with what the user knows `more` of."""
    from agentcheck.frameworks.additions import merged
    from agentcheck.frameworks.load import select
    from agentcheck.frameworks.pins import collect_pins
    from agentcheck.graph.build import build

    roots = {i.module.partition(".")[0] for f in code.files for i in f.imports if not i.level}
    pins = collect_pins(code.root, [f.path for f in code.files])

    def known(named: Mapping[str, str | None]) -> tuple[Framework, ...]:
        return merged(select(named, roots), more, named) if more else select(named, roots)

    @cache
    def for_file(path: str) -> tuple[Framework, ...]:
        named = pins.pins_for(path)
        return tuple(_in_release(framework, named) for framework in known(named))

    unread = tuple(_as_module(path) for path in code.unread)
    return build(code.files, known(pins.whole()), unread, for_file, texts)


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
