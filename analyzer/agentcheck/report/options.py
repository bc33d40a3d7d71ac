"""What a caller may ask of a report; a format takes what concerns it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

GITHUB_COMMENT = 65_536


class Options(Struct, frozen=True, kw_only=True):
    """Settings of all formats together, so that one set serves several reports of one scan.

    color, width (cells), verbose, summary (recorded runs before the findings), hint (how many
    findings --fix would mend): terminal.
    indent (spaces, None for one line): JSON and SARIF.
    limit: Markdown stays under so many characters, None for no limit.
    prefix: path from the repository's root to the scanned folder, for SARIF and GitHub.
    link_base: address that a file's path is appended to, for Markdown links.
    category: tells apart several SARIF uploads of one repository.
    manuals: names of rules and what each says of itself as Markdown, for SARIF.
    """

    color: Literal["auto", "always", "never"] = "auto"
    width: int | None = None
    verbose: bool = False
    summary: bool = False
    hint: bool = True
    indent: int | None = 2
    limit: int | None = GITHUB_COMMENT
    prefix: str = ""
    link_base: str = ""
    category: str = ""
    manuals: tuple[tuple[str, str], ...] = ()
