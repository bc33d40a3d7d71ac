"""`agentcheck what-if redaction|routing|compaction|cache RUNS`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from agentcheck.cli import options as o
from agentcheck.cli.output import PairedOutputs, outputs_of
from agentcheck.cli.what_if import Look, Runs, answered
from agentcheck.cli.what_if_approval import what_if

if TYPE_CHECKING:
    from agentcheck.model.whatif_settings import WhatIfSettings
    from agentcheck.whatif import Asks

__all__ = ["what_if"]

Model = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="The model of calls that name none.")
]
Search = Annotated[
    str | None,
    typer.Option("--search", metavar="words|embeddings", help="What is compared."),
]
KeepLast = Annotated[
    int | None,
    typer.Option("--keep-last", min=1, metavar="N", help="The messages that stay word for word."),
]


class _Given(NamedTuple):
    """What the commands have alike."""

    runs: list[str]
    look: Look
    config: Path | None
    isolated: bool


@what_if.command(cls=PairedOutputs)
def redaction(
    ctx: typer.Context,
    runs: Runs,
    *,
    output_format: o.OutputFormat = None,  # noqa: ARG001 - read in order by PairedOutputs
    output_file: o.OutputFile = None,  # noqa: ARG001
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    color: o.Color = "auto",
) -> int:
    """Show what a redactor would have taken out of each record."""

    def make() -> list[Asks]:
        from agentcheck.whatif.redaction.answer import Redaction

        return [Redaction()]

    answered(runs, make, Look(outputs_of(ctx), color, quiet, verbose))
    return 0


@what_if.command(cls=PairedOutputs)
def routing(
    ctx: typer.Context,
    runs: Runs,
    *,
    model: Model = None,
    output_format: o.OutputFormat = None,  # noqa: ARG001
    output_file: o.OutputFile = None,  # noqa: ARG001
    config: o.Config = None,
    isolated: o.Isolated = False,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    color: o.Color = "auto",
) -> int:
    """Show the tier of each model call, and what routing would have cost."""

    def make(settings: WhatIfSettings) -> Asks:
        from agentcheck.whatif.routing.answer import Routing

        return Routing(_with(settings.routing, model=model))

    look = Look(outputs_of(ctx), color, quiet, verbose)
    return _ask(_Given(runs, look, config, isolated), make)


@what_if.command(cls=PairedOutputs)
def compaction(
    ctx: typer.Context,
    runs: Runs,
    *,
    keep_last: KeepLast = None,
    model: Model = None,
    search: Search = None,
    output_format: o.OutputFormat = None,  # noqa: ARG001
    output_file: o.OutputFile = None,  # noqa: ARG001
    config: o.Config = None,
    isolated: o.Isolated = False,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    color: o.Color = "auto",
) -> int:
    """Show what five ways to shorten conversations keep, cost and lose."""

    def make(settings: WhatIfSettings) -> Asks:
        from agentcheck.whatif.compaction.answer import Compaction

        given = {"keep_last": keep_last, "model": model, "search": _search(search)}
        return Compaction(_with(settings.compaction, **given))

    look = Look(outputs_of(ctx), color, quiet, verbose)
    return _ask(_Given(runs, look, config, isolated), make)


@what_if.command(cls=PairedOutputs)
def cache(
    ctx: typer.Context,
    runs: Runs,
    *,
    model: Model = None,
    search: Search = None,
    output_format: o.OutputFormat = None,  # noqa: ARG001
    output_file: o.OutputFile = None,  # noqa: ARG001
    config: o.Config = None,
    isolated: o.Isolated = False,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    color: o.Color = "auto",
) -> int:
    """Show which questions a semantic cache would have answered, and how often wrongly."""

    def make(settings: WhatIfSettings) -> Asks:
        from agentcheck.whatif.cache.answer import Cache

        return Cache(_with(settings.cache, model=model, search=_search(search)))

    look = Look(outputs_of(ctx), color, quiet, verbose)
    return _ask(_Given(runs, look, config, isolated), make)


def _ask(given: _Given, make: Callable[[WhatIfSettings], Asks]) -> int:
    """Answer by the settings of the nearest configuration. Raises UsageError."""
    found = o.settings_from(Path(), config=given.config, isolated=given.isolated)
    answered(given.runs, lambda: [make(found.what_if)], given.look, formats=found.formats)
    return 0


def _with(settings: Any, **given: Any) -> Any:
    """Settings with what flags say."""
    from msgspec.structs import replace

    return replace(settings, **{name: said for name, said in given.items() if said is not None})


def _search(word: str | None) -> str | None:
    from agentcheck.model.errors import UsageError

    if word not in (None, "words", "embeddings"):
        raise UsageError(f'--search: "{word}" is not one of words, embeddings')
    return word
