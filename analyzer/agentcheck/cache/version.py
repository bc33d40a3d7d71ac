"""What the tool itself is: code that changed may not answer with what other code has kept."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import agentcheck

_GROUP = b"[agentcheck.rules]"  # of entry points
_PARSERS = ("libcst",)


@cache
def facts_version() -> bytes:
    """The hash of all that facts of a file depend on besides its bytes."""
    home = Path(agentcheck.__file__).parent
    own = [home / name for name in ("facts", "source", "model")]
    parsers = [f"{name} {_installed(name)}" for name in _PARSERS]
    return _hashed([sys.version, agentcheck.__version__, *parsers, *_files(own)])


@cache
def tool_version() -> bytes:
    """The hash of the whole tool: its code and data, and every installed package of rules."""
    folders = [Path(agentcheck.__file__).parent, *_rule_folders()]
    parsers = [f"{name} {_installed(name)}" for name in _PARSERS]
    return _hashed([sys.version, *parsers, *_files(folders)])


def _hashed(parts: Iterable[str]) -> bytes:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).digest()


def _files(folders: Iterable[Path]) -> Iterator[str]:
    """Path, size and time of every file below some folders."""
    for folder in folders:
        found = []
        waiting = [str(folder)]
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting += [entry.path] if entry.name != "__pycache__" else []
                    else:
                        state = entry.stat()
                        found.append(f"{entry.path} {state.st_size} {state.st_mtime_ns}")
        yield from sorted(found)


def _rule_folders() -> list[Path]:
    """The folders of the packages that give rules, found without importing any."""
    specs = [find_spec(name.partition(".")[0]) for name in rule_packages()]
    places = [place for spec in specs if spec for place in spec.submodule_search_locations or ()]
    return [Path(place) for place in places]


def rule_packages() -> list[str]:
    """The packages that give rules: ours, and those that installed distributions name as entry
    points of the group; reading their lists is ten times cheaper than `importlib.metadata`."""
    return sorted({"agentcheck_rules", *filter(None, _entries())})


def _entries() -> Iterator[str]:
    for path in _metadata("entry_points.txt"):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        if _GROUP in text:
            section = text.partition(_GROUP)[2].partition(b"\n[")[0].decode("utf-8", "replace")
            yield from (line.partition("=")[2].strip() for line in section.splitlines() if line)


def _metadata(name: str) -> Iterator[Path]:
    for folder in sys.path:
        for entry in _names_in(Path(folder)):
            if entry.endswith((".dist-info", ".egg-info")):
                yield Path(folder, entry, name)


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names alone are asked for
    except OSError:
        return []


def _installed(package: str) -> str:
    """The name of the folder that says which release of a package is installed, with its path."""
    spec = find_spec(package)
    home = Path(spec.origin).parent.parent if spec and spec.origin else None
    if home is None:
        return ""
    told = [n for n in _names_in(home) if n.startswith(f"{package}-") and n.endswith("-info")]
    return f"{home} {' '.join(told)}"
