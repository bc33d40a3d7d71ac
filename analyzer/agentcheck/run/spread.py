"""Trace files, or parts of large ones, over processes; what they tell comes in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec.structs import replace

from agentcheck.facts.executor import available_jobs, executor
from agentcheck.rule import Rule
from agentcheck.run.fold import later
from agentcheck.run.request import Tell
from agentcheck.run.tracing import Asking, Auditor, See, Told, audit_in_worker
from agentcheck.trace.losses import SHOWN
from agentcheck.trace.mask import identity
from agentcheck.trace.parts import Part, parts_of
from agentcheck.trace.reading import Reading

if TYPE_CHECKING:
    from pebble import ProcessPool

LEAST = 16_000_000
"""Bytes of a part, and those below which starting a process takes longer than the work."""
_SMALL = 4_000_000

_Task: TypeAlias = "Future[Told]"


class Waiting(NamedTuple):
    """A part of the file of a number, and its task where a worker has it."""

    file: int
    part: Part
    task: _Task | None = None


def audited(
    files: Iterable[tuple[str, str]],
    rules: Sequence[Rule],
    asking: Asking,
    jobs: int | None,
    tell: Tell,
    see: See | None = None,
    least: int = LEAST,
) -> Iterator[Told]:
    """What the files told, each a path with its name: file by file, part by part.

    `jobs` is the number of processes, None for one a processor. Without a process, or where one
    dies, this one does the work; so it does where `see` is to be shown every run.
    """
    most = 1 if see else jobs or available_jobs()
    parts = [
        Waiting(number, part)
        for number, (path, name) in enumerate(files)
        for part in _parts(path, name, most, least, asking.reading)
    ]
    auditor = Auditor(rules, asking)
    if most > 1 and len(parts) > 1 and _bytes(parts) > min(_SMALL, least):
        yield from _spread(parts, auditor, asking, min(most, len(parts)), tell)
    else:
        yield from _in_order(parts, auditor, tell, see)


def _parts(path: str, name: str, jobs: int, least: int, reading: Reading) -> list[Part]:
    if jobs > 1:
        return parts_of(Path(path), name, least, reading)
    return [Part(path, name, reading=reading)]


def _bytes(parts: Iterable[Waiting]) -> int:
    return sum(Path(path).stat().st_size for path in {each.part.path for each in parts})


def _spread(
    parts: Sequence[Waiting], auditor: Auditor, asking: Asking, jobs: int, tell: Tell
) -> Iterator[Told]:
    with ExitStack() as stack:
        try:
            pool = stack.enter_context(executor(jobs))
        except ImportError:  # this Python cannot share work among processes
            waiting = parts
        else:
            waiting = [each._replace(task=_scheduled(pool, asking, each.part)) for each in parts]
        yield from _in_order(waiting, auditor, tell)


def _scheduled(pool: ProcessPool, asking: Asking, part: Part) -> _Task | None:
    try:
        return pool.schedule(audit_in_worker, args=(asking, identity(), part))
    except (RuntimeError, OSError):  # no process can be started
        return None


def _in_order(
    waiting: Iterable[Waiting], auditor: Auditor, tell: Tell, see: See | None = None
) -> Iterator[Told]:
    for _, mine in groupby(waiting, key=lambda each: each.file):
        parts = list(mine)
        tell(f"replaying {parts[0].part.path}")
        yield from of_file(parts, auditor, see)


def of_file(waiting: list[Waiting], auditor: Auditor, see: See | None = None) -> Iterator[Told]:
    """What the parts of a file told, or the whole file where its parts do not add up to it."""
    first = waiting[0].part
    told = [_told(each, auditor, see) for each in waiting]
    if first.spots:
        told = list(_numbered(told))
    if not _add_up(told, gathered=bool(first.spots)):
        told = [auditor.audit(Part(first.path, first.name, reading=first.reading))]
    yield from told


def _numbered(told: Iterable[Told]) -> Iterator[Told]:
    """Batches of runs, each of which begins its numbers anew, with the numbers of the file."""
    runs = 0
    for each in told:
        yield replace(each, kept=later(each.kept, runs))
        runs += each.runs


def _add_up(told: Sequence[Told], *, gathered: bool) -> bool:
    """Whether the parts say what the whole file would."""
    if any(each.whole for each in told):
        return False
    if gathered:  # what of the file was lost is known; a failure names a number
        return any(each.runs for each in told) and not any(each.failed for each in told)
    return len(told) < 2 or sum(len(each.skipped) for each in told) <= SHOWN


def _told(waiting: Waiting, auditor: Auditor, see: See | None) -> Told:
    if waiting.task is not None:
        from pebble import ProcessExpired

        try:
            return waiting.task.result()
        except (ProcessExpired, RuntimeError, OSError):
            pass  # the part is read here, where a fault of its own shows
    return auditor.audit(waiting.part, see)
