"""`agentcheck tests`: write the acceptance test of every finding that has one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentcheck.cli import options as o
from agentcheck.cli.audit import audited, open_findings
from agentcheck.cli.output import say
from agentcheck.model.errors import UsageError

PathArgument = Annotated[str, typer.Argument(metavar="PATH", help="The file or folder to audit.")]
Out = Annotated[
    Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the tests are written.")
]


def acceptance_tests(
    path: PathArgument,
    *,
    output: Out,
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
    from agentcheck.acceptance.generate import write_tests
    from agentcheck.run import Request

    settings = o.settings_from(
        o.start_of([path]),
        config=config,
        isolated=isolated,
        select=select,
        ignore=ignore,
        min_severity=min_severity,
        persona=persona,
    )
    request = Request(paths=(path,), jobs=jobs, cache=o.cache_of(settings, off=no_cache))
    report = audited(request, settings, quiet=quiet)
    try:
        written = write_tests(open_findings(report), o.start_of([path]).resolve(), output)
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}; choose another folder with -o") from None
    if not quiet:
        say(f"wrote {len(written)} tests to {output}\n")
    return 0
