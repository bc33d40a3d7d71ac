"""`agentcheck fleet`: audit many repositories and recorded runs, and rank them."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentcheck import __version__
from agentcheck.cli import options as o
from agentcheck.cli.errors import one_line
from agentcheck.cli.output import Output, check_color, check_formats, say
from agentcheck.cli.progress import progress
from agentcheck.model.errors import UsageError

if TYPE_CHECKING:
    from agentcheck.fleet.job import Asked
    from agentcheck.fleet.targets import Target
    from agentcheck.model.fleet import Fleet

FAILED = 2

Lists = Annotated[
    str | None,
    typer.Argument(
        metavar="LIST|-",
        help="A file with a target a line: a folder, a git address, a file of recorded runs, "
        "or a pattern of these; - reads it from stdin.",
    ),
]
Targets = Annotated[
    list[str] | None,
    typer.Option("--target", "-t", metavar="TARGET", help="One more target; repeatable."),
]
Out = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FOLDER", help="Where the store and the pages are."),
]
Form = Annotated[
    str, typer.Option("--output-format", "--format", metavar="full|json", help="What to print.")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="The Dask cluster to use, as tcp://127.0.0.1:8786."
    ),
]
Again = Annotated[bool, typer.Option("--again", help="Look also at targets that have not changed.")]
Seconds = Annotated[
    float,
    typer.Option("--timeout", min=1, metavar="SECONDS", help="For each target as a whole."),
]
Megabytes = Annotated[
    int,
    typer.Option(
        "--max-memory", min=0, metavar="MB", help="What each worker may ask for; 0 for no bound."
    ),
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", min=1, metavar="N", help="Targets at once; default: cores.")
]


def fleet(
    listed: Lists = None,
    *,
    target: Targets = None,
    output: Out = Path("agentcheck-fleet"),
    output_format: Form = "full",
    cluster: Cluster = None,
    again: Again = False,
    timeout: Seconds = 900.0,
    max_memory: Megabytes = 0,
    select: o.Select = None,
    extend_select: o.ExtendSelect = None,
    ignore: o.Ignore = None,
    exclude: o.Exclude = None,
    min_severity: o.MinSeverity = None,
    min_confidence: o.MinConfidence = None,
    persona: o.Persona = None,
    fail_on: o.FailOn = None,
    config: o.Config = None,
    isolated: o.Isolated = False,
    jobs: Jobs = None,
    no_cache: o.NoCache = False,
    exit_zero: o.ExitZero = False,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    color: o.Color = "auto",
) -> int:
    """Audit many repositories and recorded runs into one store, and rank them on one page."""
    from agentcheck.fleet.job import Asked

    _check(output_format, color, cluster, jobs, output)
    flags = o.table_of(
        select=select,
        extend_select=extend_select,
        ignore=ignore,
        exclude=exclude,
        min_severity=min_severity,
        min_confidence=min_confidence,
        persona=persona,
        fail_on=fail_on,
    )
    _check_settings(flags, config, isolated=isolated)
    targets, wrong = _targets(listed, target or [], here=cluster is None)
    if wrong:
        sys.stderr.write("".join(f"agentcheck: error: {one_line(said)}\n" for said in wrong))
        return FAILED
    asked = Asked(
        version=__version__,
        flags=flags,
        config=str(config.absolute()) if config is not None else None,
        isolated=isolated,
        seconds=timeout,
        megabytes=max_memory,
        cache=None if no_cache else "",
    )
    told = _run(targets, asked, output, cluster=cluster, jobs=jobs, again=again, quiet=quiet)
    _show(told, output, output_format, color=color, verbose=verbose, quiet=quiet)
    return _code(told, exit_zero=exit_zero)


def _check(form: str, color: str, cluster: str | None, jobs: int | None, output: Path) -> None:
    """Raise UsageError for unknown words, and for options that contradict each other."""
    from agentcheck.report.fleet import PRINTED

    check_color(color)
    check_formats([Output(form, None)], PRINTED)
    if cluster is not None and jobs is not None:
        raise UsageError("--jobs is about this machine; a cluster has the workers it has")
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output}: -o names the folder of a fleet, and this is a file")


def _check_settings(flags: dict[str, Any], config: Path | None, *, isolated: bool) -> None:
    """Raise UsageError, before anything starts, for what every target would fail of."""
    from agentcheck.config import layers, settings_of
    from agentcheck.run.select import known_rules, selected

    if config is not None and isolated:
        raise UsageError("--config and --isolated contradict each other; use one")
    settings = settings_of(layers(Path(), config=config, isolated=config is None, flags=flags))
    if any("select" in key or key == "ignore" for key in flags):
        selected(known_rules(), settings)


def _targets(listed: str | None, more: list[str], *, here: bool) -> tuple[list[Target], list[str]]:
    """All targets, and what is wrong with lines. Raises UsageError where there is none at all."""
    from agentcheck.fleet.targets import Line, lines_of, targets_of

    if listed is None and not more:
        raise UsageError("name a list of targets, - for stdin, or --target TARGET")
    lines = [] if listed is None else list(lines_of(*_read(listed)))
    lines += [Line("--target", text, Path()) for text in more]
    targets, wrong = targets_of(lines, here=here)
    if not targets and not wrong:
        raise UsageError(f"{listed}: names no target; write a folder or a git address a line")
    return targets, wrong


def _read(listed: str) -> tuple[str, str, Path]:
    """The text of a list, its name, and where its paths start. Raises UsageError."""
    if listed == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace"), "stdin", Path()
    path = Path(listed)
    if path.is_dir():
        raise UsageError(f"{listed}: a folder, not a list; for this folder: --target {listed}")
    try:
        folder = path.parent if path.is_file() else Path()  # a pipe has no folder
        return path.read_text("utf-8-sig"), listed, folder
    except UnicodeDecodeError:
        raise UsageError(f"{listed}: not UTF-8; a list is text with a target a line") from None
    except OSError as error:
        raise UsageError(f"{listed}: {error.strerror}; name a list of targets") from None


def _run(
    targets: list[Target],
    asked: Asked,
    output: Path,
    *,
    cluster: str | None,
    jobs: int | None,
    again: bool,
    quiet: bool,
) -> Fleet:
    from msgspec.structs import replace

    from agentcheck.facts.executor import available_jobs
    from agentcheck.fleet import engines
    from agentcheck.fleet.run import run_fleet

    cores = available_jobs()
    at_once = min(jobs or cores, len(targets))
    asked = replace(asked, jobs=max(cores // at_once, 1))
    with progress(quiet=quiet) as tell:
        if cluster is not None:
            engine = partial(engines.cluster, cluster)
        else:
            engine = partial(engines.here, at_once)
        return run_fleet(targets, asked, output, engine, tell, again=again)


def _show(told: Fleet, output: Path, form: str, *, color: str, verbose: bool, quiet: bool) -> None:
    from agentcheck.fleet.run import INDEX
    from agentcheck.report.fleet import render_fleet

    if form == "json" or not quiet:
        say(render_fleet(told, form, color=color, verbose=verbose))
    if form != "json" and not quiet:
        say(f"index: {output / INDEX}\n")


def _code(told: Fleet, *, exit_zero: bool) -> int:
    """2 where not one target could be looked at, 1 for findings or a target that failed."""
    failed = [target for target in told.targets if target.status == "failed"]
    if len(failed) == len(told.targets):
        return FAILED
    return 1 if (failed or any(target.fails for target in told.targets)) and not exit_zero else 0
