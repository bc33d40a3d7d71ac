"""Which configuration file counts: the nearest one, upwards from what is scanned."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from agentcheck.model.errors import UsageError

OWN_NAME = "agentcheck.toml"
MAX_BYTES = 5_000_000


def find_table(start: Path) -> tuple[Path, dict[str, Any]] | None:
    """The nearest `agentcheck.toml`, or `pyproject.toml` with a `[tool.agentcheck]` table.

    A `pyproject.toml` that never says "agentcheck" is not even parsed: it is somebody else's.
    Raises UsageError as `read_table` does.
    """
    for folder in (start, *start.parents):
        own, shared = folder / OWN_NAME, folder / "pyproject.toml"
        if own.is_file():
            return own, read_table(own)
        if shared.is_file() and b"agentcheck" in _bytes(shared) and (table := read_table(shared)):
            return shared, table
    return None


def read_table(path: Path) -> dict[str, Any]:
    """The configuration that a file holds: all of it, or `[tool.agentcheck]` of a pyproject.

    Raises UsageError where the file cannot be read or is no TOML.
    """
    try:
        data = tomllib.loads(_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8; a configuration file is TOML text") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from None
    if path.name != "pyproject.toml":
        return data
    tool = data.get("tool", {})
    table = tool.get("agentcheck", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise UsageError(f"{path}: tool.agentcheck is not a table; write [tool.agentcheck]")
    return table


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; name another file with --config") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path}: over {MAX_BYTES:,} bytes, too large for a configuration file")
    return data
