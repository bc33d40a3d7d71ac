"""`agentcheck trace`: audit recorded runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentcheck.cli import options as o
from agentcheck.cli.audit import View, audit
from agentcheck.cli.output import outputs_of
from agentcheck.model.errors import UsageError

Files = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Recorded runs, JSON or JSON Lines.")
]
CodePath = Annotated[
    list[str] | None,
    typer.Option(
        "--code", metavar="PATH", help="The code that ran, to link findings to its lines."
    ),
]
Summary = Annotated[
    bool,
    typer.Option(
        "--summary", help="Show first what the runs hold: timelines, counts, what they leave open."
    ),
]
Expect = Annotated[
    str | None,
    typer.Option("--expect", metavar="FILE", help="Judge the runs by these golden cases as well."),
]
Junit = Annotated[
    str | None,
    typer.Option("--junit", metavar="FILE", help="Write how the golden cases came out, as JUnit."),
]
RedactTo = Annotated[
    str | None,
    typer.Option(
        "--redact-to",
        metavar="FILE",
        help="Write a copy of the runs without secrets and personal data; a folder for several.",
    ),
]


def trace(
    ctx: typer.Context,
    files: Files,
    *,
    code: CodePath = None,
    summary: Summary = False,
    expect: Expect = None,
    junit: Junit = None,
    form: o.TraceFormat = None,
    redact_to: RedactTo = None,
    what_if: o.WhatIf = False,
    select: o.Select = None,
    extend_select: o.ExtendSelect = None,
    ignore: o.Ignore = None,
    output_format: o.OutputFormat = None,  # noqa: ARG001 - read in order by PairedOutputs
    output_file: o.OutputFile = None,  # noqa: ARG001
    min_severity: o.MinSeverity = None,
    min_confidence: o.MinConfidence = None,
    persona: o.Persona = None,
    fail_on: o.FailOn = None,
    baseline: o.Baseline = None,
    statistics: o.Statistics = False,
    config: o.Config = None,
    isolated: o.Isolated = False,
    jobs: o.Jobs = None,
    no_cache: o.NoCache = False,
    exit_zero: o.ExitZero = False,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    color: o.Color = "auto",
) -> int:
    """Audit recorded runs alone; with --code, link what they show to lines of code."""
    from agentcheck.run import Request

    if junit is not None and expect is None:
        raise UsageError("--junit writes how golden cases came out; name them with --expect")

    settings = o.settings_from(
        o.start_of(code) if code else Path(),
        config=config,
        isolated=isolated,
        select=select,
        extend_select=extend_select,
        ignore=ignore,
        min_severity=min_severity,
        min_confidence=min_confidence,
        persona=persona,
        fail_on=fail_on,
        baseline=baseline,
    )
    request = Request(
        paths=tuple(code or ()),
        traces=tuple(files),
        jobs=jobs,
        runs_only=True,
        expect=expect,
        form=form,
        what_if=what_if,
        cache=o.cache_of(settings, off=no_cache),
    )
    outputs = outputs_of(ctx)
    if redact_to is not None:
        from agentcheck.cli.redact import redact
        from agentcheck.run.traces import reading_of

        redact(files, redact_to, reading_of(request, settings), quiet=quiet)
    look = (color, statistics, quiet, verbose, exit_zero, summary, junit)
    view = View(outputs, *look, what_if=what_if)
    return audit(request, settings, view)
