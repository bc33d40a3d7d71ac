"""A changed text as edits of the old one, line by line, so that the cursor stays where it is."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path

from lsprotocol.types import (
    OptionalVersionedTextDocumentIdentifier,
    Position,
    Range,
    TextDocumentEdit,
    TextEdit,
    WorkspaceEdit,
)
from pygls.workspace import PositionCodec

from agentcheck.server.buffers import Buffer
from agentcheck.server.diagnose import Uri
from agentcheck.server.places import pieces


def text_edits(before: str, after: str, codec: PositionCodec) -> list[TextEdit]:
    """Edits that make one text of another; none shares a line with the next."""
    old, new = pieces(before), pieces(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        TextEdit(Range(_start(old, i1, codec), _start(old, i2, codec)), "".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _start(lines: list[str], index: int, codec: PositionCodec) -> Position:
    """The start of a line, or the end of the text."""
    if index < len(lines):
        return Position(index, 0)
    return Position(len(lines) - 1, codec.client_num_units(lines[-1]))


def workspace_edit(
    changes: Mapping[Path, list[TextEdit]],
    buffers: Mapping[Path, Buffer],
    uri: Uri,
    *,
    versioned: bool,
) -> WorkspaceEdit:
    """The edits of files; of open ones in the version they were made for, if the client can."""
    if not versioned:
        return WorkspaceEdit(changes={uri(path): edits for path, edits in changes.items()})
    return WorkspaceEdit(
        document_changes=[
            TextDocumentEdit(
                OptionalVersionedTextDocumentIdentifier(uri(path), _version(buffers.get(path))),
                list(edits),
            )
            for path, edits in changes.items()
        ]
    )


def _version(buffer: Buffer | None) -> int | None:
    return buffer.version if buffer is not None else None
