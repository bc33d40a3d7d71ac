"""`agentcheck what-if approval`: which effects were approved, by whom, what resuming repeats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentcheck.cli import options as o
from agentcheck.cli.output import PairedOutputs, outputs_of
from agentcheck.cli.progress import progress
from agentcheck.cli.what_if import Look, Runs, answered, what_if

if TYPE_CHECKING:
    from agentcheck.config import Settings
    from agentcheck.whatif import Asks
    from agentcheck.whatif.approval.in_code import Coded

__all__ = ["what_if"]

CodePath = Annotated[
    list[str] | None,
    typer.Option("--code", metavar="PATH", help="The code that ran, to say what asks in it."),
]


@what_if.command(cls=PairedOutputs)
def approval(
    ctx: typer.Context,
    runs: Runs,
    *,
    code: CodePath = None,
    output_format: o.OutputFormat = None,  # noqa: ARG001 - read in order by PairedOutputs
    output_file: o.OutputFile = None,  # noqa: ARG001
    config: o.Config = None,
    isolated: o.Isolated = False,
    jobs: o.Jobs = None,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    color: o.Color = "auto",
) -> int:
    """Show which effects were approved before, by whom, and what resuming would repeat."""
    start = o.start_of(code) if code else Path()
    settings = o.settings_from(start, config=config, isolated=isolated)
    known = _coded(code, settings, jobs, quiet=quiet) if code else None

    def make() -> list[Asks]:
        from agentcheck.whatif.approval.answer import Approvals

        return [Approvals(known, settings.trace.side_effecting)]

    look = Look(outputs_of(ctx), color, quiet, verbose)
    answered(runs, make, look, known.handoffs if known is not None else None, settings.formats)
    return 0


def _coded(paths: list[str], settings: Settings, jobs: int | None, *, quiet: bool) -> Coded | None:
    """What the code says. Raises UsageError for a path that does not exist."""
    from agentcheck.run import Request
    from agentcheck.run.code import read_code
    from agentcheck.whatif.approval.in_code import coded

    with progress(quiet=quiet) as tell:
        code = read_code(Request(paths=tuple(paths), jobs=jobs), settings, tell)
    return coded(code.graph) if code.graph is not None else None
