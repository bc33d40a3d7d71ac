"""`agentcheck init`: a configuration to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentcheck.cli.output import say, write_file
from agentcheck.model.errors import UsageError

Folder = Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where the file is written.")]


def init(folder: Folder = Path()) -> int:
    """Write a starting agentcheck.toml; an existing one is left alone."""
    from agentcheck.config.find import OWN_NAME
    from agentcheck.config.starting import STARTING_TEXT

    path = folder / OWN_NAME
    if path.exists():
        raise UsageError(f"{path}: exists already; edit it, or remove it first")
    write_file(STARTING_TEXT, str(path))
    say(f"wrote {path}; `agentcheck config KEY` explains one key, `agentcheck config` lists all\n")
    return 0
