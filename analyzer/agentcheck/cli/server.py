"""`agentcheck server`: the language server."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from agentcheck.cli import options as o
from agentcheck.model.errors import UsageError

OnSave = Annotated[
    bool,
    typer.Option("--on-save", help="Look when a file is opened or saved, not at every change."),
]


def server(
    *,
    on_save: OnSave = False,
    config: o.Config = None,
    isolated: o.Isolated = False,
    no_cache: o.NoCache = False,
    jobs: o.Jobs = None,
) -> int:
    """Serve an editor over stdin and stdout (Language Server Protocol)."""
    if config is not None and isolated:
        raise UsageError("--config and --isolated contradict each other; use one")
    if find_spec("pygls") is None:
        raise UsageError(
            "the language server needs the extra lsp; pip install 'agentcheck-audit[lsp]'"
        )
    from agentcheck.server.look import Options
    from agentcheck.server.serve import serve

    return serve(
        Options(config=config, isolated=isolated, no_cache=no_cache, jobs=jobs, on_save=on_save)
    )
