"""Jobs through an engine, every outcome recorded once, as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from itertools import islice
from typing import TypeAlias

from agentcheck.fleet.engines import Engine
from agentcheck.fleet.job import Job, Outcome, failed, outcome_in, pack
from agentcheck.model.errors import UsageError

Record: TypeAlias = Callable[[Job, Outcome], None]


def drive(jobs: Iterable[Job], engine: Engine, record: Record) -> None:
    """Have all jobs done. One whose worker dies is tried once more when nothing else runs.

    Only so many jobs wait in the engine as it has room for. Raises UsageError where the engine
    itself goes away; what was recorded by then stays.
    """
    left, running, again = iter(jobs), dict[Future[bytes], Job](), list[Job]()
    while True:
        for job in islice(left, max(engine.room() - len(running), 0)):
            running[engine.submit(pack(job))] = job
        if not running:
            break
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            job = running.pop(future)
            outcome = _outcome(future)
            if outcome.died:
                again.append(job)
            else:
                record(job, outcome)
    for job in again:
        record(job, _outcome(engine.submit(pack(job))))


def _outcome(future: Future[bytes]) -> Outcome:
    try:
        return outcome_in(future.result())
    except (CancelledError, BrokenExecutor):
        raise UsageError(
            "the cluster has gone away; the same command goes on where this one stopped"
        ) from None
    except Exception as error:  # noqa: BLE001 - engines have errors of their own for lost workers
        return failed(f"the worker was lost: {type(error).__name__}: {error}", died=True)
