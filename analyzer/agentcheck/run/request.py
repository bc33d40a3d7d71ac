"""What a run of the tool is asked to look at, and how it tells that it lives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

Tell: TypeAlias = Callable[[str], None]


def silent(_step: str) -> None:
    """Tell nobody."""


class Verify(Struct, frozen=True):
    """Acceptance tests to run: their folder, the interpreter if it was named, a time limit.

    `seconds` are for each test file.
    """

    folder: Path
    python: str | None = None
    seconds: float = 120.0


class Request(Struct, frozen=True, kw_only=True):
    """What to look at.

    `paths` are files and folders, `traces` files of recorded runs, both as the user gave them.
    `stdin` holds the bytes of one source file that has no place on disk, `stdin_name` the path to
    report for it. `jobs` is the number of worker processes, None for one per core. `tests` asks
    for the source of each finding's acceptance test. `runs_only` leaves out what no run shows.
    `expect` is a file of golden cases for the runs, `glance` asks for what they show at a glance.
    `what_if` asks for what they would have been like under other rules.
    `cache` is the folder where earlier runs left what they read, None for none.
    `drawn` asks for the agent graph as something to draw, `traced` for the workflows in it alone.
    `since` names a revision of git: only findings that a change since then touches are reported.
    `overlay` holds, by absolute path, text that stands in the place of files, as an editor has it
    before it is saved. `form` names the trace format that the runs are in, None to tell by what
    they hold. `verify` names acceptance tests to run. `whole` asks to link the target as one where
    it could be done in parts, which gives the same report.
    """

    paths: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    stdin: bytes | None = None
    stdin_name: str = "stdin.py"
    jobs: int | None = None
    tests: bool = True
    runs_only: bool = False
    drawn: bool = False
    traced: bool = False
    glance: bool = False
    what_if: bool = False
    expect: str | None = None
    since: str | None = None
    form: str | None = None
    cache: str | None = None
    overlay: dict[str, bytes] = {}
    verify: Verify | None = None
    whole: bool = False
