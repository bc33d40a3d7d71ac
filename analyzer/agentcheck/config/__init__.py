"""`[tool.agentcheck]` in pyproject.toml, or agentcheck.toml -> Settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from agentcheck.config.find import find_table, read_table
from agentcheck.config.settings import FileIgnore, Settings
from agentcheck.model.errors import UsageError

__all__ = [
    "FileIgnore",
    "Layer",
    "Settings",
    "UsageError",
    "layers",
    "load_settings",
    "settings_of",
]

ADDED = ("extend_select", "ignore", "exclude", "per_file_ignores")
"""The keys of which a flag adds to the file instead of replacing what it says."""


class Layer(NamedTuple):
    """A table of settings and where it comes from: `origin` for people, `where` before errors."""

    origin: str
    where: str
    folder: Path
    table: dict[str, Any]


def load_settings(
    start: Path,
    *,
    config: Path | None = None,
    isolated: bool = False,
    flags: dict[str, Any] | None = None,
) -> Settings:
    """The settings of a run: defaults, then the configuration file, then the flags.

    `config` names the file; otherwise the nearest one from `start` upwards counts; `isolated`
    reads none. `flags` has the keys of the file. Flags replace what the file says, except that
    `extend-select`, `ignore`, `exclude` and `per-file-ignores` add to it.
    Raises UsageError for what cannot be read and for every unknown key or value.
    """
    return settings_of(layers(start, config=config, isolated=isolated, flags=flags))


def layers(
    start: Path,
    *,
    config: Path | None = None,
    isolated: bool = False,
    flags: dict[str, Any] | None = None,
) -> list[Layer]:
    """What lies over the defaults, lowest first: the file, the flags. Raises UsageError."""
    found = None if isolated else _file(start, config)
    made = []
    if found:
        path, table = found
        made.append(Layer(str(path), f"{path}: ", path.parent, table))
    return [*made, Layer("--", "--", Path(), flags)] if flags else made


def settings_of(found: list[Layer]) -> Settings:
    """The defaults with the layers laid over them. Raises UsageError for a wrong key or value."""
    settings = Settings()
    for layer in found:
        settings = _apply(settings, layer)
        if layer.origin != "--":
            settings = replace(settings, source=layer.origin)
    return settings


def _file(start: Path, config: Path | None) -> tuple[Path, dict[str, Any]] | None:
    if config is None:
        return find_table(start.absolute())
    if not config.is_file():
        raise UsageError(f"{config}: no such configuration file; check --config")
    return config, read_table(config)


def _apply(settings: Settings, layer: Layer) -> Settings:
    """The settings with a table of the user's laid over them; paths in it start at its folder."""
    from agentcheck.config.table import check_table, parsed

    said = parsed(check_table(layer.table, layer.where), layer.folder, layer.where)
    for key in ADDED:
        if key in said:
            said[key] = (*getattr(settings, key), *said[key])
    return replace(settings, **said)
