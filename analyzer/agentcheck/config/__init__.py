"""`[tool.agentcheck]` in pyproject.toml, or agentcheck.toml -> Settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from agentcheck.config.find import find_table, read_table
from agentcheck.config.settings import FileIgnore, Settings
from agentcheck.model.errors import UsageError

__all__ = ["FileIgnore", "Settings", "UsageError", "load_settings"]


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
    settings = Settings()
    found = None if isolated else _file(start, config)
    if found:
        path, table = found
        settings = replace(_apply(settings, table, f"{path}: ", path.parent), source=str(path))
    return _apply(settings, flags, "--", Path()) if flags else settings


def _file(start: Path, config: Path | None) -> tuple[Path, dict[str, Any]] | None:
    if config is None:
        return find_table(start.absolute())
    if not config.is_file():
        raise UsageError(f"{config}: no such configuration file; check --config")
    return config, read_table(config)


def _apply(settings: Settings, table: dict[str, Any], where: str, folder: Path) -> Settings:
    """The settings with a table of the user's laid over them; paths in it start at `folder`."""
    from agentcheck.config.table import check_table, parsed

    said = parsed(check_table(table, where), folder)
    for key in ("extend_select", "ignore", "exclude", "per_file_ignores"):
        if key in said:
            said[key] = (*getattr(settings, key), *said[key])
    return replace(settings, **said)
