"""`agentcheck graph`: the agents, tools and handoffs of a repository as a picture or as data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentcheck.cli import options as o
from agentcheck.cli.output import say, write_file
from agentcheck.cli.progress import progress
from agentcheck.model.errors import UsageError

if TYPE_CHECKING:
    from agentcheck.config import Settings
    from agentcheck.model.diagram import Diagram
    from agentcheck.run import Request

FORMATS = "mermaid|dot|json|svg"
PathArgument = Annotated[str, typer.Argument(metavar="PATH", help="The file or folder to draw.")]
Format = Annotated[str, typer.Option("--format", metavar=FORMATS, help="What to draw it as.")]
OutFile = Annotated[
    str | None,
    typer.Option("--output-file", "-o", metavar="FILE", help="Where it goes; default: stdout."),
]
Tests = Annotated[bool, typer.Option("--tests", help="Draw what stands in tests too.")]


def graph(
    path: PathArgument = ".",
    *,
    form: Format = "mermaid",
    output_file: OutFile = None,
    tests: Tests = False,
    exclude: o.Exclude = None,
    config: o.Config = None,
    isolated: o.Isolated = False,
    jobs: o.Jobs = None,
    no_cache: o.NoCache = False,
    quiet: o.Quiet = False,
) -> int:
    """Draw the agents of a repository with their tools, handoffs, loops and model calls."""
    from agentcheck.report.diagram import render_diagram
    from agentcheck.run import Request

    _check(form)
    settings = o.settings_from(
        o.start_of([path]), config=config, isolated=isolated, exclude=exclude
    )
    request = Request(paths=(path,), jobs=jobs, cache=o.cache_of(settings, off=no_cache))
    diagram = _drawn(request, settings, tests=tests, quiet=quiet)
    text = render_diagram(diagram, form)
    if output_file is None:
        say(text)
    else:
        write_file(text, output_file)
    if not quiet:
        _tell(diagram, path)
    return 0


def _check(form: str) -> None:
    """Raise UsageError for a format that does not exist."""
    from agentcheck.config.nearest import suggestion
    from agentcheck.report.diagram import FORMATS as KNOWN

    if form not in KNOWN:
        raise UsageError(f'--format: unknown format "{form}"; {suggestion(form, KNOWN)}')


def _drawn(request: Request, settings: Settings, *, tests: bool, quiet: bool) -> Diagram:
    from agentcheck.run.diagram import read_diagram

    with progress(quiet=quiet) as tell:
        return read_diagram(request, settings, tell, tests=tests)


def _tell(diagram: Diagram, path: str) -> None:
    """Say on stderr what the picture does not show."""
    from agentcheck.report.words import plural

    if diagram.left_out:
        many = plural(diagram.left_out, "file")
        sys.stderr.write(f"agentcheck: note: {many} of tests left out; --tests draws them too\n")
    elif not diagram.nodes:
        where = Path(path)
        sys.stderr.write(f"agentcheck: note: {where}: no agent, tool or model call was found\n")
