"""What a run of the tool was told, checked and ready to use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from agentcheck.model.card import Confidence, Persona, Severity
from agentcheck.model.whatif_settings import WhatIfSettings
from agentcheck.trace.settings import TraceSettings

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework
    from agentcheck.trace.mapped.mapping import Mapping


class FileIgnore(Struct, frozen=True):
    """Rules that are silent in the files a gitignore-style pattern matches."""

    pattern: str
    rules: tuple[str, ...]


class Settings(Struct, frozen=True, kw_only=True):
    """Every setting of a run, with the defaults of a run that was told nothing.

    Rule selectors are codes ("AC101"), prefixes of codes ("AC1"), names, families or "ALL".
    `focus` is what the user asked about: selectors, topics or free words. `severity` holds the
    severities given to rules, by selector, `rules` the options of rules by name, as they stand in
    the file, `frameworks` what the user knows of SDKs beyond the data that ships. `baseline` is a
    path that can be opened as it stands, `cache_dir` the folder of the cache; `profile` holds the
    fields of `model.report.Profile` that the user sets; `formats` are trace formats of the user's
    own; `source` is the file all this was read from.
    """

    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[FileIgnore, ...] = ()
    exclude: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    severity: dict[str, Severity] = {}
    rules: dict[str, dict[str, Any]] = {}
    frameworks: tuple[Framework, ...] = ()
    min_severity: Severity = "info"
    min_confidence: Confidence = "low"
    persona: Persona = "regular"
    fail_on: Severity = "info"
    baseline: str | None = None
    cache_dir: str | None = None
    profile: dict[str, str] = {}
    trace: TraceSettings = TraceSettings()
    formats: tuple[Mapping, ...] = ()
    what_if: WhatIfSettings = WhatIfSettings()
    source: str | None = None
