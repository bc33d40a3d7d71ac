"""What a run of the tool was told, checked and ready to use."""

from __future__ import annotations

from msgspec import Struct

from agentcheck.model.card import Confidence, Persona, Severity
from agentcheck.trace.settings import TraceSettings


class FileIgnore(Struct, frozen=True):
    """Rules that are silent in the files a gitignore-style pattern matches."""

    pattern: str
    rules: tuple[str, ...]


class Settings(Struct, frozen=True, kw_only=True):
    """Every setting of a run, with the defaults of a run that was told nothing.

    Rule selectors are codes ("AC101"), prefixes of codes ("AC1"), names, families or "ALL".
    `baseline` is a path that can be opened as it stands; `profile` holds the fields of
    `model.report.Profile` that the user sets; `source` is the file all this was read from.
    """

    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[FileIgnore, ...] = ()
    exclude: tuple[str, ...] = ()
    min_severity: Severity = "info"
    min_confidence: Confidence = "low"
    persona: Persona = "regular"
    fail_on: Severity = "info"
    baseline: str | None = None
    profile: dict[str, str] = {}
    trace: TraceSettings = TraceSettings()
    source: str | None = None
