"""A run of the fleet: targets in, a store, pages and an index out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from agentcheck import __version__
from agentcheck.cache.version import tool_version
from agentcheck.fleet.audits import page_of, write_page
from agentcheck.fleet.drive import drive
from agentcheck.fleet.engines import Engine
from agentcheck.fleet.job import Asked, Job, Outcome
from agentcheck.fleet.numbers import numbers_of
from agentcheck.fleet.store import Store
from agentcheck.fleet.targets import Target
from agentcheck.model.errors import UsageError
from agentcheck.model.fleet import Fleet
from agentcheck.run.request import Tell

INDEX = "index.html"


def run_fleet(
    targets: Sequence[Target],
    asked: Asked,
    folder: Path,
    engine: Callable[[], AbstractContextManager[Engine]],
    tell: Tell,
    *,
    again: bool = False,
) -> Fleet:
    """Look at every target that is not known, record each as it ends, and give the numbers.

    The index in the folder is written also for a run that is interrupted, which the next call
    with the same folder goes on with. `again` looks also at what is known. Raises UsageError for a
    folder that cannot be written, and where the engine cannot be had or goes away.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}; choose another folder with -o") from None
    store = Store(folder, f"{__version__}+{tool_version().hex()[:12]}")
    try:
        if store.goes_on:
            tell("going on with the run that was interrupted")
        with engine() as workers:
            jobs = _jobs(targets, asked, store, folder, again=again)
            drive(jobs, workers, _Recorder(store, folder, len(targets), tell))
        store.finish()
    finally:
        fleet = numbers_of(store.file, store.run, folder)
        store.close()
        if fleet.targets:
            _index(fleet, folder)
    return fleet


def _jobs(
    targets: Sequence[Target], asked: Asked, store: Store, folder: Path, *, again: bool
) -> Iterator[Job]:
    for target in targets:
        there = not again and (folder / page_of(target.name)).is_file()
        yield Job(target, asked, store.known(target) if there else "")


class _Recorder:
    """Keeps outcomes as they come: the page first, so that no row is without it."""

    def __init__(self, store: Store, folder: Path, count: int, tell: Tell) -> None:
        self._store = store
        self._folder = folder
        self._count = count
        self._tell = tell
        self._done = 0

    def __call__(self, job: Job, outcome: Outcome) -> None:
        try:
            if outcome.page:
                write_page(self._folder, job.target.name, outcome.page)
        except OSError as error:
            where = f"{self._folder}: {error.strerror}"
            raise UsageError(f"{where}; make room, and the same command goes on") from None
        self._store.record(job.target, outcome)
        self._done += 1
        self._tell(f"{self._done} of {self._count} targets")


def _index(fleet: Fleet, folder: Path) -> None:
    """Write the index. Raises UsageError where that is not possible."""
    from agentcheck.report import WriteError, write
    from agentcheck.report.fleet import render_fleet

    try:
        write(render_fleet(fleet, "html"), folder / INDEX)
    except WriteError as error:
        raise UsageError(str(error)) from None
