"""The bytes of the files that are read."""

from __future__ import annotations

from agentcheck.source import gate, notebook
from agentcheck.source.discover import SourceFile
from agentcheck.source.errors import Unreadable


def load(file: SourceFile) -> bytes:
    """The bytes of a file; no more of a huge one than it takes to see that it is.

    Raises Unreadable for such a one, and OSError.
    """
    if file.data is not None:
        return file.data
    limit = notebook.MAX_BYTES if file.path.endswith(".ipynb") else gate.MAX_BYTES
    with file.absolute.open("rb") as stream:
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise Unreadable(gate.too_large(file.absolute.stat().st_size, limit))
    return data
