"""The pages behind the index: one file a target, named so that no two share one."""

from __future__ import annotations

import hashlib
import re
import zlib
from pathlib import Path

from agentcheck.source.replace import replace

FOLDER = "audits"
_LONGEST = 60


def page_of(name: str) -> str:
    """The relative address of a target's page: a readable part, and a hash of the whole name."""
    last = [part for part in re.split(r"[/\\]", name) if part][-2:]
    said = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(last)).strip("-.")[-_LONGEST:]
    return f"{FOLDER}/{said or 'target'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.html"


def write_page(folder: Path, name: str, page: bytes) -> None:
    """Write a compressed page, whole or not at all. Raises OSError."""
    path = folder / page_of(name)
    path.parent.mkdir(exist_ok=True)
    replace(path, zlib.decompress(page))
