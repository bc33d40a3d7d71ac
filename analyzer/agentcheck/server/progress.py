"""A sign of life in the editor while a look takes long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import uuid4

from lsprotocol.types import WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

_PATIENCE = 1.0
"""Seconds that pass without a sign."""
_PACE = 0.5


@asynccontextmanager
async def signs_of_life(server: LanguageServer, steps: Sequence[str]) -> AsyncIterator[None]:
    """Show the last of the `steps`, to which another thread adds, until the work is done."""
    task = asyncio.get_running_loop().create_task(_show(server, steps))
    try:
        yield
    finally:
        task.cancel()


async def _show(server: LanguageServer, steps: Sequence[str]) -> None:
    await asyncio.sleep(_PATIENCE)
    token, progress = str(uuid4()), server.work_done_progress
    try:
        await progress.create_async(token)
    except JsonRpcException:  # the client will not show any
        return
    progress.begin(token, WorkDoneProgressBegin(title="agentcheck", message=steps[-1]))
    try:
        while True:
            await asyncio.sleep(_PACE)
            progress.report(token, WorkDoneProgressReport(message=steps[-1]))
    finally:
        progress.end(token, WorkDoneProgressEnd())
