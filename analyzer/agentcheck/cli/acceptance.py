"""`agentcheck tests`: write the acceptance tests of findings, or regression tests of runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentcheck.cli import options as o
from agentcheck.cli.audit import audited
from agentcheck.cli.output import say
from agentcheck.model.errors import UsageError
from agentcheck.model.verdict import open_findings

if TYPE_CHECKING:
    from agentcheck.config import Settings
    from agentcheck.model.event import Run
    from agentcheck.run import Request
    from agentcheck.trace.reading import Reading

PathArgument = Annotated[
    str | None, typer.Argument(metavar="[PATH]", help="The file or folder to audit.")
]
Out = Annotated[
    Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the tests are written.")
]
FromTrace = Annotated[
    Path | None,
    typer.Option(
        "--from-trace",
        metavar="FILE",
        help="Write a test for each recorded run there, which replays its replies.",
    ),
]


def acceptance_tests(
    path: PathArgument = None,
    *,
    output: Out,
    from_trace: FromTrace = None,
    select: o.Select = None,
    ignore: o.Ignore = None,
    min_severity: o.MinSeverity = None,
    persona: o.Persona = None,
    config: o.Config = None,
    isolated: o.Isolated = False,
    jobs: o.Jobs = None,
    no_cache: o.NoCache = False,
    quiet: o.Quiet = False,
) -> int:
    """Write pytest files that fail today and pass once the findings are mended."""
    from agentcheck.run import Request

    if path is None and from_trace is None:
        raise UsageError("name what to audit: agentcheck tests PATH -o FOLDER")
    settings = o.settings_from(
        o.start_of([path or "."]),
        config=config,
        isolated=isolated,
        select=select,
        ignore=ignore,
        min_severity=min_severity,
        persona=persona,
    )
    paths, cache = (path,) if path is not None else (), o.cache_of(settings, off=no_cache)
    request = Request(paths=paths, jobs=jobs, cache=cache)
    try:
        if from_trace is not None:
            told = _from_trace(from_trace, request, settings, output)
        else:
            told = _of_findings(request, settings, output, quiet=quiet)
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}; choose another folder with -o") from None
    if not quiet:
        say(told)
    return 0


def _of_findings(request: Request, settings: Settings, output: Path, *, quiet: bool) -> str:
    from agentcheck.acceptance.generate import write_tests

    report = audited(request, settings, quiet=quiet)
    root = o.start_of(list(request.paths)).resolve()
    written = write_tests(open_findings(report), root, output)
    return f"wrote {len(written)} tests to {output}\n"


def _from_trace(file: Path, request: Request, settings: Settings, output: Path) -> str:
    from agentcheck.acceptance.replays import write_replays
    from agentcheck.run.code import read_code
    from agentcheck.run.request import silent
    from agentcheck.run.traces import reading_of

    if not file.is_file():
        raise UsageError(f"{file}: no such file of recorded runs")
    code = read_code(request, settings, silent)
    root = code.root.resolve() if request.paths else None
    written, left = write_replays(
        _runs(file, reading_of(request, settings)), code.graph, root, output
    )
    if not written and not left:
        raise UsageError(f"{file}: no recorded run could be read there")
    lines = [f"wrote {len(written)} tests to {output}", *(f"left out {one}" for one in left)]
    return "\n".join(lines) + "\n"


def _runs(file: Path, reading: Reading) -> Iterator[Run]:
    from agentcheck.model.report import Skipped
    from agentcheck.trace.read import read_runs

    for run in read_runs(file, None, reading):
        if not isinstance(run, Skipped):
            yield run
