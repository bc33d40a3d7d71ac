"""Changes as a unified diff, in the bytes of the files, so that `patch` and `git apply` take it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from agentcheck.fix.plan import Changed


def diff_of(changed: Iterable[Changed]) -> bytes:
    """One diff of all files, in the order given."""
    return b"".join(line for one in changed for line in _lines(one))


def _lines(one: Changed) -> list[bytes]:
    name = one.file.encode("utf-8", "backslashreplace")
    lines = difflib.diff_bytes(
        difflib.unified_diff, _split(one.before), _split(one.after), b"a/" + name, b"b/" + name
    )
    return [_ended(line) for line in lines]


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _split(data: bytes) -> list[bytes]:
    """Lines as `patch` sees them: only a line feed ends one."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
