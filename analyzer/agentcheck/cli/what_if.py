"""`agentcheck what-if`: what recorded runs would have been like under other rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from agentcheck.cli import options as o
from agentcheck.cli.output import DEFAULT, Output, check_color, check_formats, say, write_file
from agentcheck.cli.progress import progress

if TYPE_CHECKING:
    from agentcheck.model.whatif_report import WhatIf
    from agentcheck.trace.mapped.mapping import Mapping as Mapped
    from agentcheck.trace.reading import Reading
    from agentcheck.whatif import Asks

Runs = Annotated[
    list[str], typer.Argument(metavar="RUNS...", help="Recorded runs, JSON or JSON Lines.")
]

what_if = typer.Typer(
    help="Show what recorded runs would have been like under other rules.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Look(NamedTuple):
    """How answers are shown."""

    outputs: Sequence[Output] = ()
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False


def answered(
    runs: Sequence[str],
    make: Callable[[], Sequence[Asks]],
    look: Look,
    targets: Mapping[str, str] | None = None,
    formats: tuple[Mapped, ...] | None = None,
) -> WhatIf:
    """Ask what `make` gives of every run, write each output, and give the answers.

    `formats` are the user's own logs, by default those of the nearest configuration. Raises
    UsageError for an unknown format or colour before any run is read.
    """
    from agentcheck.report.whatif import FORMATS
    from agentcheck.run.whatif import what_if as ask

    check_color(look.color)
    check_formats(look.outputs, FORMATS)
    with progress(quiet=look.quiet) as tell:
        answers = ask(runs, make, tell, targets=targets, reading=reading_by(formats))
    show(answers, look)
    return answers


def reading_by(formats: tuple[Mapped, ...] | None = None) -> Reading:
    """Readers that know these logs of the user's own too; raises UsageError as configuration does.

    None stands for those of the nearest configuration.
    """
    from agentcheck.trace.reading import Reading

    return Reading(o.settings_from(Path()).formats if formats is None else formats)


def show(answers: WhatIf, look: Look) -> None:
    """Write every output, the terminal's where none was asked for."""
    from agentcheck.report.whatif import render_answers

    for output in look.outputs or [Output(DEFAULT, None)]:
        color = look.color if output.path is None else "never"
        text = render_answers(answers, output.form, color=color, verbose=look.verbose)
        if output.path is None:
            say(text)
        else:
            write_file(text, output.path)
