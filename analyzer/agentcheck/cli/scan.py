"""`agentcheck scan`: audit code, and join recorded runs to it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentcheck.cli import options as o
from agentcheck.cli.audit import View, audit
from agentcheck.cli.mend import Wish, check_wish, mend
from agentcheck.cli.output import outputs_of, say
from agentcheck.model.errors import UsageError

if TYPE_CHECKING:
    from agentcheck.config import Layer
    from agentcheck.run.request import Verify

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATH...|-]", help="Files and folders; - reads one file from stdin."),
]
Traces = Annotated[
    list[str] | None,
    typer.Option("--trace", metavar="FILE", help="Recorded runs to join to the code; repeatable."),
]
StdinName = Annotated[
    str | None,
    typer.Option("--stdin-filename", metavar="PATH", help="What to call the file on stdin."),
]


def scan(
    ctx: typer.Context,
    paths: Paths = None,
    *,
    trace: Traces = None,
    form: o.TraceFormat = None,
    select: o.Select = None,
    extend_select: o.ExtendSelect = None,
    ignore: o.Ignore = None,
    per_file_ignores: o.PerFileIgnores = None,
    exclude: o.Exclude = None,
    output_format: o.OutputFormat = None,  # noqa: ARG001 - read in order by PairedOutputs
    output_file: o.OutputFile = None,  # noqa: ARG001
    min_severity: o.MinSeverity = None,
    min_confidence: o.MinConfidence = None,
    persona: o.Persona = None,
    fail_on: o.FailOn = None,
    baseline: o.Baseline = None,
    focus: o.Focus = None,
    since: o.Since = None,
    what_if: o.WhatIf = False,
    show_settings: o.ShowSettings = False,
    fix: o.Fix = False,
    diff: o.Diff = False,
    unsafe_fixes: o.UnsafeFixes = False,
    verify: o.Verify = None,
    verify_python: o.VerifyPython = None,
    verify_seconds: o.VerifySeconds = None,
    statistics: o.Statistics = False,
    config: o.Config = None,
    isolated: o.Isolated = False,
    jobs: o.Jobs = None,
    no_cache: o.NoCache = False,
    exit_zero: o.ExitZero = False,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    color: o.Color = "auto",
    stdin_filename: StdinName = None,
) -> int:
    """Audit agent code; with --trace, join recorded runs to it."""
    from agentcheck.config import settings_of
    from agentcheck.run import Request

    wish = Wish(fix, diff, unsafe_fixes)
    look = (color, statistics, quiet, verbose, exit_zero)
    view = View(outputs_of(ctx), *look, what_if=what_if)
    if what_if and not trace:
        raise UsageError("--what-if is asked of recorded runs; name them with --trace")
    check_wish(wish, view, stdin="-" in (paths or ()))
    given = paths or ["."]
    layers = o.layers_from(
        o.start_of(given),
        config=config,
        isolated=isolated,
        select=select,
        extend_select=extend_select,
        ignore=ignore,
        per_file_ignores=per_file_ignores,
        exclude=exclude,
        min_severity=min_severity,
        min_confidence=min_confidence,
        persona=persona,
        fail_on=fail_on,
        baseline=baseline,
        focus=focus,
    )
    if show_settings:
        return _show(layers)
    settings = settings_of(layers)
    from_stdin = _from_stdin(given, stdin_filename)
    if form is not None and not trace:
        raise UsageError("--format names the format of recorded runs; name them with --trace")
    if since is not None and from_stdin:
        raise UsageError("--since asks git about files; what stdin holds it cannot know")
    request = Request(
        paths=() if from_stdin else tuple(given),
        traces=tuple(trace or ()),
        stdin=sys.stdin.buffer.read() if from_stdin else None,
        stdin_name=stdin_filename or "stdin.py",
        jobs=jobs,
        since=since,
        form=form,
        what_if=what_if,
        cache=o.cache_of(settings, off=no_cache),
        verify=_verify(verify, verify_python, verify_seconds, wish),
    )
    if fix or diff:
        return mend(request, settings, view, wish)
    return audit(request, settings, view)


def _verify(
    folder: Path | None, python: str | None, seconds: float | None, wish: Wish
) -> Verify | None:
    """Raises UsageError for flags that do nothing alone, or that contradict each other."""
    from agentcheck.run.request import Verify

    if folder is None:
        if python is not None or seconds is not None:
            raise UsageError("--verify-python and --verify-seconds are about --verify; add it")
        return None
    if wish.fix or wish.diff:
        raise UsageError(
            "--verify runs tests on the code as it is; use it without --fix and --diff"
        )
    return Verify(folder, python) if seconds is None else Verify(folder, python, seconds)


def _show(layers: list[Layer]) -> int:
    from agentcheck.config.show import settings_text

    say(settings_text(layers))
    return 0


def _from_stdin(paths: list[str], name: str | None) -> bool:
    """Whether to read stdin. Raises UsageError for `-` among paths and for a name without `-`."""
    if "-" in paths and len(paths) > 1:
        raise UsageError("- reads stdin and cannot stand beside paths; give one or the other")
    if name is not None and paths != ["-"]:
        raise UsageError("--stdin-filename names the file on stdin; give - as the path")
    return paths == ["-"]
