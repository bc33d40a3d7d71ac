"""The files that a request names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from agentcheck.config import Settings, UsageError
from agentcheck.run.request import Request

if TYPE_CHECKING:
    from agentcheck.source.discover import Discovery


def find_files(request: Request, settings: Settings) -> Discovery | None:
    """The files below what the request names; None where it names no code.

    Raises UsageError for a path that does not exist.
    """
    from agentcheck.source.discover import Discovery, SourceFile, discover
    from agentcheck.source.errors import SourceError

    if request.stdin is not None:
        file = SourceFile(request.stdin_name, str(Path.cwd()), named=True, data=request.stdin)
        return Discovery(Path.cwd(), (file,), ())
    if not request.paths:
        return None
    try:
        paths = [Path(path) for path in request.paths]
        return discover(paths, exclude=settings.exclude, overlay=request.overlay)
    except SourceError as error:
        raise UsageError(f"{error}; check the path") from None
