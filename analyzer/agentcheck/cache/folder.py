"""Where the cache lies: in the user's own cache folder unless told otherwise."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "AGENTCHECK_CACHE_DIR"


def cache_folder(configured: str | None = None) -> Path:
    """The folder of the cache: the environment's word, else the configuration's, else the
    place that the system has for caches."""
    named = os.environ.get(VARIABLE) or configured
    if named:
        return Path(named).expanduser()
    return _of_system() / "agentcheck"


def _of_system() -> Path:
    """XDG's cache folder, `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
