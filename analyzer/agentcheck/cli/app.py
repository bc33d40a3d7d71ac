"""Every command, by name. Nothing heavy is imported before a command runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from agentcheck import __version__
from agentcheck.cli.acceptance import acceptance_tests
from agentcheck.cli.baseline import baseline
from agentcheck.cli.config import config
from agentcheck.cli.fleet import fleet
from agentcheck.cli.graph import graph
from agentcheck.cli.init import init
from agentcheck.cli.output import PairedOutputs
from agentcheck.cli.params import sparing
from agentcheck.cli.policy import policy
from agentcheck.cli.rule import rule
from agentcheck.cli.scan import scan
from agentcheck.cli.server import server
from agentcheck.cli.trace import trace
from agentcheck.cli.what_if_runs import what_if

HELP = {"help_option_names": ["-h", "--help"]}


class _Commands(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return sparing(super().get_params(ctx))


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=HELP,
)
app.command(cls=PairedOutputs)(scan)
app.command(cls=PairedOutputs)(trace)
app.command("tests")(acceptance_tests)
app.command()(graph)
app.command()(fleet)
app.command()(rule)
app.command()(baseline)
app.command()(config)
app.command()(init)
app.command()(server)
app.add_typer(policy, name="policy")
app.add_typer(what_if, name="what-if")


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it with the flag's value
    if wanted:
        typer.echo(f"agentcheck {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
]


@app.callback()
def agentcheck(*, _version: Version = False) -> None:
    """Audit agent code and recorded runs for failures that can be proved."""
