"""Facts of many files: in this process when they are few, else spread over workers.

A worker that dies or is stuck costs the one file it was at, which is named with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, TypeAlias

from agentcheck.facts.at_hand import Read
from agentcheck.facts.executor import available_jobs, executor
from agentcheck.facts.outcome import Outcome, failure
from agentcheck.facts.record import Record, from_bytes, record_of
from agentcheck.model.facts import FileFacts
from agentcheck.model.report import Skipped
from agentcheck.source.collector import collector_paused
from agentcheck.source.discover import SourceFile

if TYPE_CHECKING:
    from pebble import ProcessExpired, ProcessPool

    from agentcheck.facts.kept import KeptFacts

TIMEOUT = 60.0  # seconds for one file; the largest real ones take about ten

# Below this, starting workers takes longer than the work.
_SMALL_BYTES = 200_000
_BATCH_BYTES = 120_000
_BATCH_FILES = 24
_ATTEMPTS = 3

Progress: TypeAlias = Callable[[int], None]
_Batch: TypeAlias = tuple[int, ...]


def read_all(
    files: Sequence[SourceFile],
    jobs: int | None = None,
    progress: Progress | None = None,
    timeout: float = TIMEOUT,
    kept: KeptFacts | None = None,
) -> tuple[list[FileFacts], list[Skipped]]:
    """The facts of all files in their order, and what could not be read.

    `jobs` is the number of processes, by default as many as there are processors; `progress` is
    told how many more files are done; `timeout` is in seconds for one file; `kept` knows what
    earlier runs read.
    """
    read = read_records(files, jobs, progress, timeout, kept)
    facts = [found for one in read if (found := one.facts()) is not None]
    return facts, [skipped for one in read for skipped in one.record.skipped]


def read_records(
    files: Sequence[SourceFile],
    jobs: int | None = None,
    progress: Progress | None = None,
    timeout: float = TIMEOUT,
    kept: KeptFacts | None = None,
) -> list[Read]:
    """What reading each file came to; the parameters are those of `read_all`."""
    reading = _Reading(files, progress or _silent, timeout, kept)
    reading.known()
    left = reading.left()
    waiting = reading.here(left) if _is_small([files[i] for i in left]) else left
    reading.in_workers(list(waiting), jobs or available_jobs())
    if kept is not None:
        kept.save()
    return [reading.done[i] for i in range(len(files))]


def _silent(_: int) -> None:
    pass


def _is_small(files: Sequence[SourceFile]) -> bool:
    total = 0
    for file in files:
        total += _size(file)
        if total > _SMALL_BYTES:
            return False
    return True


def _size(file: SourceFile) -> int:
    if file.data is not None:
        return len(file.data)
    try:
        return file.absolute.stat().st_size
    except OSError:
        return 0


class _Reading:
    """One call of `read_all`: outcomes by the index of their file."""

    def __init__(
        self,
        files: Sequence[SourceFile],
        progress: Progress,
        timeout: float,
        kept: KeptFacts | None,
    ) -> None:
        self.done: dict[int, Read] = {}
        self._files = files
        self._progress = progress
        self._timeout = timeout
        self._kept = kept
        self._left: list[int] = []  # by workers, for this process
        self._leave = False

    def known(self) -> None:
        """Take what earlier runs read."""
        if self._kept is not None:
            with collector_paused():
                for index, record in self._kept.known(self._files):
                    self.done[index] = Read(self._files[index], record, kept=self._kept)
            self._progress(len(self.done))

    def left(self) -> list[int]:
        """The files that are still to be read."""
        return [index for index in range(len(self._files)) if index not in self.done]

    def here(self, indices: Iterable[int]) -> Iterator[int]:
        """Read in this process; the indices of files that must not be are handed back."""
        from agentcheck.facts.reading import outcome_of

        for index in indices:
            outcome = outcome_of(self._files[index], may_die=False)
            if outcome is None:
                yield index
            else:
                self._finish(index, outcome)

    def in_workers(self, indices: Sequence[int], jobs: int) -> None:
        """Read in workers; when the pool itself breaks, what is left goes to a new one.

        With several, this process reads what few files take LibCST.
        """
        self._leave = jobs > 1
        for _ in range(_ATTEMPTS):
            left = [i for i in indices if i not in self.done]
            if not left:
                return
            self._left = []
            batches = list(self._batches(left))
            try:
                with executor(min(jobs, len(batches))) as pool:
                    self._drain(pool, batches)
            except (RuntimeError, OSError, ImportError):  # a broken pool is a RuntimeError
                continue
        self._without_workers([i for i in indices if i not in self.done])

    def _batches(self, indices: Iterable[int]) -> Iterator[_Batch]:
        """Small files together, so that they do not pay for a message each.

        The largest come first, so that in the end no worker is left with a long batch.
        """
        sizes = {index: _size(self._files[index]) for index in indices}
        batch: list[int] = []
        room = _BATCH_BYTES
        for index in sorted(sizes, key=lambda index: -sizes[index]):
            room -= sizes[index]
            if batch and (room < 0 or len(batch) == _BATCH_FILES):
                yield tuple(batch)
                batch, room = [], _BATCH_BYTES - sizes[index]
            batch.append(index)
        if batch:
            yield tuple(batch)

    def _drain(self, pool: ProcessPool, batches: Iterable[_Batch]) -> None:
        pending = {self._schedule(pool, batch): batch for batch in batches}
        while pending:
            ready, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in ready:
                again = self._take(future, pending.pop(future))
                pending |= {self._schedule(pool, batch): batch for batch in again}
            left, self._left = self._left, []
            for index in self.here(left):
                pending[self._schedule(pool, (index,))] = (index,)

    def _schedule(self, pool: ProcessPool, batch: _Batch) -> Future[list[bytes]]:
        from agentcheck.facts.reading import records_of

        files = tuple(self._files[index] for index in batch)
        more = {"leave": self._leave}
        return pool.schedule(records_of, args=(files,), kwargs=more, timeout=self._timeout)

    def _take(self, future: Future[list[bytes]], batch: _Batch) -> list[_Batch]:
        """Keep a batch's outcomes; of one that was lost, the files to try one by one."""
        from pebble import ProcessExpired

        try:
            for index, packed in zip(batch, future.result(), strict=True):
                if packed:
                    self._take_in(index, from_bytes(packed))
                else:
                    self._left.append(index)
        except (TimeoutError, ProcessExpired) as error:
            if len(batch) > 1:
                return [(index,) for index in batch]
            file = self._files[batch[0]]
            self._finish(batch[0], failure(file, self._loss(error)))
        return []

    def _loss(self, error: TimeoutError | ProcessExpired) -> str:
        if isinstance(error, TimeoutError):
            return f"not parsed within {self._timeout:g} seconds"
        return f"the parser died of it (exit code {error.exitcode})"

    def _without_workers(self, indices: Iterable[int]) -> None:
        """Where no process can be started, read what is safe to read here."""
        from agentcheck.facts.reading import outcome_of

        for index in indices:
            file = self._files[index]
            refused = failure(file, "needs a process of its own, and none can be started")
            self._finish(index, outcome_of(file, may_die=False) or refused)

    def _finish(self, index: int, outcome: Outcome) -> None:
        """Keep what a file came to in this process."""
        record = record_of(outcome, packed=self._kept is not None)
        self._take_in(index, record, outcome)

    def _take_in(self, index: int, record: Record, outcome: Outcome | None = None) -> None:
        file = self._files[index]
        if self._kept is not None:
            self._kept.add(file, record)
        self.done[index] = Read(file, record, outcome, self._kept)
        self._progress(1)
