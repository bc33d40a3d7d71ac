"""The options that several commands share, and how they become settings.

Values are checked where those of a configuration file are checked, so both get the same errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentcheck.model.errors import UsageError

if TYPE_CHECKING:
    from agentcheck.config import Layer, Settings

SELECTORS = "codes, prefixes, names, families or ALL, separated by commas"

Select = Annotated[
    list[str] | None,
    typer.Option("--select", metavar="RULES", help=f"Ask only these: {SELECTORS}."),
]
ExtendSelect = Annotated[
    list[str] | None,
    typer.Option("--extend-select", metavar="RULES", help="Ask these as well as the selected."),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="RULES", help="Do not ask these.")
]
PerFileIgnores = Annotated[
    list[str] | None,
    typer.Option(
        "--per-file-ignores",
        metavar="PATTERN:RULES",
        help="Do not report these in files that match a gitignore-style pattern.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="PATTERN", help="Leave out paths that match; repeatable."),
]
MinSeverity = Annotated[
    str | None,
    typer.Option("--min-severity", metavar="high|medium|low|info", help="Hide what is below."),
]
MinConfidence = Annotated[
    str | None,
    typer.Option("--min-confidence", metavar="high|medium|low", help="Hide what is less sure."),
]
Persona = Annotated[
    str | None,
    typer.Option(
        "--persona", metavar="regular|pedantic|auditor", help="Who reads: what is worth showing."
    ),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on", metavar="high|medium|low|info", help="Exit with 1 from this severity on."
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option("--baseline", metavar="FILE", help="Do not report the findings known there."),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since", metavar="REV", help="Report only what the change since a git revision touches."
    ),
]
Focus = Annotated[
    list[str] | None,
    typer.Option(
        "--focus", metavar="WORDS", help="What you want to know about; shown first. Repeatable."
    ),
]
ShowSettings = Annotated[
    bool,
    typer.Option("--show-settings", help="Print the settings and where each comes from, and stop."),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="This configuration instead of the nearest."),
]
Isolated = Annotated[bool, typer.Option("--isolated", help="Read no configuration file.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", min=1, metavar="N", help="Worker processes; default: cores.")
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Neither use nor keep what runs have in common.")
]
OutputFormat = Annotated[
    list[str] | None,
    typer.Option(
        "--output-format",
        metavar="FORMAT",
        help="How to report; repeat it in pairs with --output-file to write several reports.",
    ),
]
OutputFile = Annotated[
    list[str] | None,
    typer.Option(
        "--output-file",
        "-o",
        metavar="FILE",
        help="Where the format before it goes; default: stdout.",
    ),
]
TraceFormat = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="NAME", help="The format of the runs, which is else told by the files."
    ),
]
Fix = Annotated[
    bool, typer.Option("--fix", help="Mend what can be mended safely, and report what remains.")
]
Diff = Annotated[
    bool,
    typer.Option("--diff", help="Print what --fix would change and write nothing; 1 if anything."),
]
UnsafeFixes = Annotated[
    bool,
    typer.Option("--unsafe-fixes", help="Also mend what may change how working programs behave."),
]
Verify = Annotated[
    Path | None,
    typer.Option(
        "--verify", metavar="FOLDER", help="Run the acceptance tests there on the code as it is."
    ),
]
VerifyPython = Annotated[
    str | None,
    typer.Option(
        "--verify-python",
        metavar="FILE",
        help="The interpreter of the target's environment, with pytest; default: its .venv.",
    ),
]
VerifySeconds = Annotated[
    float | None,
    typer.Option("--verify-seconds", min=1, metavar="N", help="For each test file; default: 120."),
]
Statistics = Annotated[
    bool, typer.Option("--statistics", help="Print how often each rule fired instead of findings.")
]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 also for findings.")]
WhatIf = Annotated[
    bool,
    typer.Option(
        "--what-if", help="Add what the runs would have been like under other rules and models."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print findings and nothing else.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say more of each finding.")]
Color = Annotated[
    str, typer.Option("--color", metavar="auto|always|never", help="Colour on the terminal.")
]


def settings_from(
    start: Path, *, config: Path | None = None, isolated: bool = False, **flags: Any
) -> Settings:
    """The settings for a command; `flags` are options under their parameter names, None unset.

    Raises UsageError.
    """
    from agentcheck.config import settings_of

    return settings_of(layers_from(start, config=config, isolated=isolated, **flags))


def layers_from(
    start: Path, *, config: Path | None = None, isolated: bool = False, **flags: Any
) -> list[Layer]:
    """What a command lays over the defaults; see `settings_from`. Raises UsageError."""
    from agentcheck.config import layers

    if config is not None and isolated:
        raise UsageError("--config and --isolated contradict each other; use one")
    return layers(start, config=config, isolated=isolated, flags=table_of(**flags))


def table_of(**flags: Any) -> dict[str, Any]:
    """Flags under the keys of a configuration file. Raises UsageError."""
    given = {name.replace("_", "-"): value for name, value in flags.items() if value is not None}
    for key in ("select", "extend-select", "ignore", "focus"):
        if key in given:
            given[key] = words(given[key])
    if "per-file-ignores" in given:
        given["per-file-ignores"] = dict(_entry(text) for text in given["per-file-ignores"])
    return given


def cache_of(settings: Settings, *, off: bool) -> str | None:
    """The folder of the cache; None where it is off."""
    from agentcheck.cache.folder import cache_folder

    return None if off else str(cache_folder(settings.cache_dir))


def words(texts: list[str]) -> tuple[str, ...]:
    """The words of repeated, comma-separated values."""
    return tuple(word.strip() for text in texts for word in text.split(",") if word.strip())


def _entry(text: str) -> tuple[str, tuple[str, ...]]:
    pattern, colon, rules = text.rpartition(":")
    if not colon or not pattern or not words([rules]):
        raise UsageError(f'--per-file-ignores: "{text}" is not PATTERN:RULES, as "tests/**:AC101"')
    return pattern, words([rules])


def start_of(paths: list[str]) -> Path:
    """Where the search for a configuration file begins: the folder of the first path.

    Raises UsageError for a path that is an empty text: a variable that was not set.
    """
    if "" in paths:
        raise UsageError('a path is empty (""); name one, or "." for the current folder')
    first = Path(paths[0]) if paths and paths[0] != "-" else Path()
    return first if first.is_dir() else first.parent
