"""What the client said that it can show."""

from __future__ import annotations

from lsprotocol.types import ClientCapabilities, MarkupKind
from msgspec import Struct


class Abilities(Struct, frozen=True):
    """What is left out or written otherwise for a client that does not know it."""

    related: bool = False
    versioned: bool = False
    markdown: bool = False
    watches: bool = False
    progress: bool = False


def abilities(said: ClientCapabilities) -> Abilities:
    """The abilities in a client's capabilities; none where it does not speak of them."""
    text, workspace, window = said.text_document, said.workspace, said.window
    published = text.publish_diagnostics if text else None
    edits = workspace.workspace_edit if workspace else None
    watched = workspace.did_change_watched_files if workspace else None
    hover = text.hover if text else None
    return Abilities(
        related=bool(published and published.related_information),
        versioned=bool(edits and edits.document_changes),
        markdown=MarkupKind.Markdown in ((hover.content_format if hover else None) or ()),
        watches=bool(watched and watched.dynamic_registration),
        progress=bool(window and window.work_done_progress),
    )
