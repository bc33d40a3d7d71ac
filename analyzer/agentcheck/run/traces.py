"""Recorded runs -> what the rules answer about them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.config import Settings, UsageError
from agentcheck.config.nearest import suggestion
from agentcheck.crosscheck import Traced
from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.run.ask import Asker
from agentcheck.run.fold import Fold
from agentcheck.run.reading import Code
from agentcheck.run.request import Request, Tell
from agentcheck.run.watch import Watch

if TYPE_CHECKING:
    from agentcheck.trace.reading import Reading

_OWN = "a log of your own is mapped under [trace.formats] (docs/traces.md)"


class Replayed(Struct, frozen=True):
    """What recorded runs said, and what of them could not be read."""

    said: Traced
    skipped: tuple[Skipped, ...] = ()


def require_traces(paths: Iterable[str]) -> None:
    """Raise UsageError for a file of recorded runs that does not exist."""
    for path in paths:
        if path and Path(path).is_dir():
            raise UsageError(
                f"{path}: a folder; name the files in it, as {path.rstrip('/')}/*.jsonl"
            )
        if not Path(path).is_file():
            raise UsageError(f"{path}: no such file of recorded runs; check the path")


def read_traces(
    request: Request, code: Code, settings: Settings, asker: Asker, watch: Watch, tell: Tell
) -> Replayed:
    """Look at every run once, ask about it, let `watch` see it, and drop it.

    Large files and several of them are read in several processes, unless `watch` sees runs.

    Calls of tools that the code shows to hand over count as handoffs, whatever the format says.

    Raises UsageError where the files hold not one run.
    """
    if not request.traces:
        return Replayed(Traced())
    from agentcheck.run.spread import audited
    from agentcheck.run.tracing import Asking

    rules = [rule for rule in asker.rules if rule.check_run]
    asking = Asking(
        tuple(rule.name for rule in rules),
        dict(asker.options),
        settings.trace,
        dict(code.graph.handoff_targets()) if code.graph else {},
        reading_of(request, settings),
    )
    files = [(path, shown_name(path, code.root)) for path in request.traces]
    fold, runs, skipped = Fold(), 0, list[Skipped]()
    see = watch.add if watch.sees else None
    for told in audited(files, rules, asking, request.jobs, tell, see):
        fold.join(told.kept, {rule.name: rule for rule in rules})
        runs += told.runs
        skipped += told.skipped
        asker.failed = told.failed | asker.failed
    if not runs:
        raise UsageError(_nothing_read(request.traces, skipped))
    topics = frozenset(r.card.topic for r in rules)
    return Replayed(Traced(fold.answers(), runs, topics), tuple(skipped))


def reading_of(request: Request, settings: Settings) -> Reading:
    """Which readers trace files are offered. Raises UsageError for a format that there is not."""
    from agentcheck.trace.reading import Reading

    reading = Reading(settings.formats, request.form)
    named = reading.named()
    if request.form is not None and request.form not in named:
        by_title = {form.name.casefold(): name for name, form in named.items()}
        name = by_title.get(request.form.casefold())
        if name is None:
            hint = suggestion(request.form, named)
            raise UsageError(f'--format: no trace format is called "{request.form}"; {hint}')
        reading = replace(reading, only=name)
    return reading


def each_run(
    paths: Sequence[str],
    root: Path,
    tell: Tell,
    reading: Reading,
    targets: Mapping[str, str],
    skipped: list[Skipped],
) -> Iterator[Run]:
    """Every run of the files, each once; what of them could not be read is added to `skipped`.

    `targets` are the tools that hand over by what the code shows, with the agent they lead to.
    Raises UsageError where the files hold not one run.
    """
    from agentcheck.trace.handoffs import with_handoffs
    from agentcheck.trace.read import read_runs

    found = False
    for path in paths:
        tell(f"replaying {path}")
        for run in read_runs(Path(path), shown_name(path, root), reading):
            if isinstance(run, Skipped):
                skipped.append(run)
            else:
                found = True
                yield with_handoffs(run, targets)
    if not found:
        raise UsageError(_nothing_read(paths, skipped))


def shown_name(path: str, root: Path) -> str:
    """A trace file's name in the report: relative to the scanned folder, else as it was given."""
    full = Path(os.path.abspath(path))  # noqa: PTH100 - keeps symlinks, as the root does
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else Path(path).as_posix()


def _nothing_read(paths: Sequence[str], skipped: Sequence[Skipped]) -> str:
    """What to tell the user where files hold not one run."""
    where = ", ".join(paths)
    if not skipped:
        return f"{where}: no recorded run found; see docs/traces.md for the formats that are read"
    first = skipped[0]
    which = f"{first.file}: " if len(paths) > 1 else ""
    told = f"{where}: no recorded run could be read; {which}{first.why}"
    return f"{told}; {_OWN}" if "trace format that is known" in first.why else told
