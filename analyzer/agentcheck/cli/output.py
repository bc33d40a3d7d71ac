"""Where each report goes: `--output-format` and `--output-file` in pairs, as they were written."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from typer.core import TyperCommand

from agentcheck.cli.params import sparing
from agentcheck.model.errors import UsageError
from agentcheck.model.pattern import lazy_re

if TYPE_CHECKING:
    from agentcheck.model.report import Report

DEFAULT = "full"
FORMAT, FILE = "--output-format", "--output-file"
_SHORT = lazy_re(r"-[qv]*o(.*)", re.DOTALL)
_META = "agentcheck.outputs"
COLORS = ("auto", "always", "never")


class PipeClosed(Exception):  # noqa: N818 - what happened, not a fault
    """Whoever read stdout has stopped reading."""


class Output(NamedTuple):
    """A format and the file it goes to, None for stdout."""

    form: str
    path: str | None


class PairedOutputs(TyperCommand):
    """A command whose context knows its outputs in the order in which they were given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Note the pairs before the parser sorts values by option."""
        ctx.meta[_META] = pair_outputs(args)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, which take texts without typer's checks."""
        return sparing(super().get_params(ctx))


def outputs_of(ctx: Any) -> list[Output]:
    """The pairs that a command was given."""
    found: list[Output] = ctx.meta[_META]
    return found


def pair_outputs(args: Sequence[str]) -> list[Output]:
    """The outputs that arguments ask for. Raises UsageError for two files after one format, for two
    reports in one file and for two formats on stdout."""
    pairs: list[Output] = []
    for option, value in _options(args):
        if option == FORMAT:
            pairs.append(Output(value, None))
        elif not pairs:
            pairs.append(Output(DEFAULT, value))
        elif pairs[-1].path is None:
            pairs[-1] = Output(pairs[-1].form, value)
        else:
            raise UsageError(f"{FILE} {value}: put the {FORMAT} that goes there before it")
    spoken = [output.form for output in pairs if output.path is None]
    if len(spoken) > 1:
        raise UsageError(f"{' and '.join(spoken)} both go to stdout; give one an {FILE}")
    files = Counter(Path(output.path).absolute() for output in pairs if output.path)
    twice = next((path for path, count in files.items() if count > 1), None)
    if twice:
        raise UsageError(f"{FILE} {twice}: two reports go there; give each a file of its own")
    return pairs


def _options(args: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The two options and their values, up to a `--`; a missing value is the parser's to report."""
    rest = iter(args)
    for arg in rest:
        if arg == "--":
            return
        option, equals, value = arg.partition("=")
        if option in (FORMAT, FILE):
            yield option, value if equals else next(rest, "")
        elif short := _SHORT.fullmatch(arg):
            yield FILE, short[1] or next(rest, "")


def check_formats(outputs: Iterable[Output], known: Sequence[str] | None = None) -> None:
    """Raise UsageError for a format that is none of those `known`, by default those of reports."""
    from agentcheck.config.nearest import suggestion
    from agentcheck.report import FORMATS

    formats = FORMATS if known is None else known
    for output in outputs:
        if output.form not in formats:
            hint = suggestion(output.form, formats)
            raise UsageError(f'{FORMAT}: unknown format "{output.form}"; {hint}')


def check_color(color: str) -> None:
    """Raise UsageError for a word that is no choice of colour."""
    if color not in COLORS:
        raise UsageError(f'--color: "{color}" is not one of {", ".join(COLORS)}')


def emit(report: Report, outputs: Sequence[Output], **options: Any) -> None:
    """Render every output and write it. Raises UsageError for a file that cannot be written."""
    from agentcheck.report import render

    for output in outputs:
        if output.path is None:
            say(render(report, output.form, **options))
        else:
            write_file(render(report, output.form, **{**options, "color": "never"}), output.path)


def write_file(text: str, path: str) -> None:
    """Write a file whole. Raises UsageError where that is not possible."""
    from agentcheck.report import WriteError, write

    try:
        write(text, path)
    except WriteError as error:
        raise UsageError(str(error)) from None


def say(text: str) -> None:
    """Write to stdout as UTF-8, whatever the locale says. Raises PipeClosed."""
    say_bytes(text.encode("utf-8", "backslashreplace"))


def say_bytes(data: bytes) -> None:
    """Write to stdout as it is. Raises PipeClosed."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise PipeClosed from None
