"""The name of what a target holds: whatever could change its audit goes into it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from agentcheck.config import Settings
from agentcheck.run.find import find_files
from agentcheck.run.request import Request
from agentcheck.source.folders import is_passed_over
from agentcheck.source.texts import LARGEST

_BLOCK = 1 << 20


def content_of(request: Request, settings: Settings) -> str:
    """The SHA-256 of code and what stands beside it, or of recorded runs, with the settings.

    Of code: every file that is read, and of the others those small enough to be read for a rule.
    Raises UsageError for a path that does not exist.
    """
    digest = hashlib.sha256(_encoded(replace(settings, cache_dir=None, source=None)))
    found = find_files(request, settings)
    if found is not None:
        for source in found.files:
            _add(digest, source.path, source.absolute)
        for path in _others(found.root if Path(request.paths[0]).is_dir() else None):
            _add(digest, str(path), path)
    for file in (*request.traces, *filter(None, [settings.baseline])):
        _add(digest, file, Path(file))
    return digest.hexdigest()


def _others(root: Path | None) -> Iterator[Path]:
    """The small files of a folder, in an order that does not depend on the file system."""
    for folder, folders, names in os.walk(root) if root is not None else ():
        folders[:] = sorted(name for name in folders if not is_passed_over(name))
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and path.stat().st_size <= LARGEST:
                yield path


def _add(digest: hashlib._Hash, name: str, path: Path) -> None:
    own = hashlib.sha256(name.encode("utf-8", "surrogateescape"))
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                own.update(block)
    except OSError:
        own.update(b"unread")
    digest.update(own.digest())


def _encoded(value: object) -> bytes:
    return msgspec.msgpack.encode(value, order="deterministic")
