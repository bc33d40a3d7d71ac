"""Trace files, or parts of large ones, over processes; what they tell comes in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from agentcheck.facts.executor import available_jobs, executor
from agentcheck.rule import Rule
from agentcheck.run.crew import can_fork
from agentcheck.run.fold import later
from agentcheck.run.heard import Place
from agentcheck.run.request import Tell
from agentcheck.run.shared import told_by_forks
from agentcheck.run.tracing import Asking, Auditor, See, Told, audit_in_worker
from agentcheck.trace.losses import SHOWN
from agentcheck.trace.mask import identity
from agentcheck.trace.parts import Part
from agentcheck.trace.plan import Layout, Plan, laid_out, plan_of

if TYPE_CHECKING:
    from pebble import ProcessPool

LEAST = 4_000_000
"""Bytes of a part, and those below which starting a process takes longer than the work."""
MOST_PARTS = 1_000

Wait: TypeAlias = Callable[[Place], Told | None]
"""Waits for what a part told that another process reads; None where nobody did."""


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
    named, auditor = list(files), Auditor(rules, asking)
    plans = [Plan(Part(path, name, reading=asking.reading)) for path, name in named]
    if not see:
        plans = [_plan(plan.mine, least) for plan in plans]
    processes = min(most, sum(map(len, plans))) if _bytes(named) > least else 1
    if processes == 1:
        plans = [plan if plan.gathers else plan.in_one_piece() for plan in plans]
    if processes > 1 or any(plan.gathers for plan in plans):
        yield from _spread(plans, auditor, asking, processes, tell)
        return
    for number, plan in enumerate(plans):
        tell(f"replaying {plan.mine.path}")
        yield from of_file(plan.layout(), auditor, number, see)


def _plan(mine: Part, least: int) -> Plan:
    path = Path(mine.path)
    size = path.stat().st_size if path.is_file() else 0
    return plan_of(path, mine.name, max(least, size // MOST_PARTS), mine.reading)


def _bytes(files: Iterable[tuple[str, str]]) -> int:
    return sum(Path(path).stat().st_size for path in {path for path, _ in files})


def _spread(
    plans: Sequence[Plan], auditor: Auditor, asking: Asking, processes: int, tell: Tell
) -> Iterator[Told]:
    with ExitStack() as stack:
        if processes == 1 or can_fork():
            tell(f"replaying {plans[0].mine.path if len(plans) == 1 else f'{len(plans)} files'}")
            layouts, wait = told_by_forks(plans, auditor, processes)
        else:
            layouts = [laid_out(plan) for plan in plans]
            wait = _waiting(stack, asking, layouts, processes)
        for number, layout in enumerate(layouts):
            tell(f"replaying {layout.mine.path}")
            yield from of_file(layout, auditor, number, wait=wait)


def _waiting(stack: ExitStack, asking: Asking, layouts: Sequence[Layout], processes: int) -> Wait:
    """Have processes started that read all parts."""
    try:
        pool = stack.enter_context(executor(processes))
    except ImportError:  # this Python cannot share work among processes
        return _nobody
    return _scheduled(pool, asking, layouts)


def _nobody(_place: Place) -> None:
    return None


def _scheduled(pool: ProcessPool, asking: Asking, layouts: Sequence[Layout]) -> Wait:
    tasks: dict[Place, Future[Told]] = {}
    for file, layout in enumerate(layouts):
        for number in range(layout.count):
            place = Place(file, number)
            given = asking, identity(), layout.part(number), place
            try:
                tasks[place] = pool.schedule(audit_in_worker, args=given)
            except (RuntimeError, OSError):  # no process can be started
                break
    return lambda place: _result(tasks[place]) if place in tasks else None


def _result(task: Future[Told]) -> Told | None:
    from pebble import ProcessExpired

    try:
        return task.result()
    except (ProcessExpired, RuntimeError, OSError):
        return None  # the part is read here, where a fault of its own shows


def of_file(
    layout: Layout, auditor: Auditor, number: int = 0, see: See | None = None, wait: Wait = _nobody
) -> Iterator[Told]:
    """What the parts of a file told, or the whole file where its parts do not add up to it.

    The file has a number; `wait` gives what others read of it.
    """
    places = [Place(number, part) for part in range(layout.count)]
    told = [wait(at) or auditor.audit(layout.part(at.part), at, see) for at in places]
    mine, gathered = layout.mine, layout.mine.spots is not None
    if gathered:
        told = list(_numbered(told))
    if not _add_up(told, gathered=gathered):
        told = [auditor.audit(Part(mine.path, mine.name, reading=mine.reading))]
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
