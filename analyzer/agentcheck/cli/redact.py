"""`agentcheck trace --redact-to`: a copy of runs without secrets and personal data."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agentcheck.model.errors import UsageError

if TYPE_CHECKING:
    from agentcheck.trace.reading import Reading


def redact(files: Sequence[str], goal: str, reading: Reading, *, quiet: bool) -> None:
    """Write a redacted copy of one file to `goal`, of several into that folder.

    Raises UsageError before anything is written where that cannot be.
    """
    from agentcheck.run.traces import require_traces
    from agentcheck.whatif.redaction.write import Copied, write_redacted

    require_traces(files)
    for source, copy in list(_pairs(files, Path(goal))):
        done: Copied = write_redacted(source, copy, reading)
        if not quiet:
            sys.stderr.write(f"agentcheck: {copy}: {_told(done.taken, done.records)}\n")


def _pairs(files: Sequence[str], goal: Path) -> Iterator[tuple[Path, Path]]:
    if len(files) == 1 and not goal.is_dir():
        yield Path(files[0]), goal
        return
    if not goal.is_dir():
        raise UsageError(
            f"--redact-to {goal}: {len(files)} files need a folder; create it or name another"
        )
    names = [_plain(Path(file).name) for file in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--redact-to {goal}: two files are called {twice}; redact them apart")
    yield from ((Path(file), goal / name) for file, name in zip(files, names, strict=True))


def _plain(name: str) -> str:
    """What to call the copy of a file, which is neither compressed nor an archive."""
    bare = name.removesuffix(".gz").removesuffix(".zst")
    return f"{bare}.jsonl" if bare.endswith(".eval") else bare


def _told(taken: dict[str, int], records: int) -> str:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in taken.items())
    of = f"{records:,} record{'s' * (records != 1)}"
    return f"taken out of {of}: {kinds}" if kinds else f"nothing to take out of {of}"
