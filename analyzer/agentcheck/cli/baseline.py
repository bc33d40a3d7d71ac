"""`agentcheck baseline`: today's findings become known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentcheck.cli import options as o
from agentcheck.cli.audit import audited
from agentcheck.cli.output import say, write_file
from agentcheck.model.verdict import open_findings

PathArgument = Annotated[str, typer.Argument(metavar="PATH", help="The file or folder to audit.")]
OutFile = Annotated[
    str, typer.Option("--output-file", "-o", metavar="FILE", help="Where the baseline is written.")
]


def baseline(
    path: PathArgument = ".",
    *,
    output_file: OutFile = "agentcheck-baseline.json",
    config: o.Config = None,
    isolated: o.Isolated = False,
    persona: o.Persona = None,
    jobs: o.Jobs = None,
    no_cache: o.NoCache = False,
    quiet: o.Quiet = False,
) -> int:
    """Write the fingerprints of today's findings, for `scan --baseline`."""
    from msgspec.structs import replace

    from agentcheck.run import Request
    from agentcheck.run.baseline import baseline_text

    settings = o.settings_from(
        o.start_of([path]), config=config, isolated=isolated, persona=persona
    )
    cache = o.cache_of(settings, off=no_cache)
    request = Request(paths=(path,), jobs=jobs, tests=False, cache=cache)
    report = audited(request, replace(settings, baseline=None), quiet=quiet)
    write_file(baseline_text(report), output_file)
    if not quiet:
        say(f"{len(open_findings(report))} findings are now known in {Path(output_file)}\n")
    return 0
