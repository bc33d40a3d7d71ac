"""What changed since a revision: only findings that the change touches are reported."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from agentcheck.config import UsageError
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.finding import Finding
from agentcheck.model.pattern import lazy_re
from agentcheck.run import git

_HUNK = lazy_re(rb"(?m)^@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_BINARY = lazy_re(rb"(?m)^(?:Binary files |GIT binary patch)")

Lines: TypeAlias = tuple[tuple[int, int], ...] | None
"""First and last changed lines, or None for a file that is new or changed as a whole."""


class Changes(Struct, frozen=True):
    """The changed lines of the scanned folder's files, by path from the work tree's top.

    `folder` is the scanned folder seen from there, "" for the top itself. What is not `tracked` is
    new, all of it.
    """

    folder: str
    lines: dict[str, Lines]
    tracked: frozenset[str]

    def touches(self, finding: Finding) -> bool:
        """Whether any line of its evidence in code is new or changed."""
        return any(self._touched(e) for e in finding.evidence if isinstance(e, CodeEvidence))

    def _touched(self, evidence: CodeEvidence) -> bool:
        path = f"{self.folder}/{evidence.file}" if self.folder else evidence.file
        if path not in self.tracked:
            return True
        if path not in self.lines:
            return False
        changed = self.lines[path]
        if changed is None or evidence.cell is not None:  # a cell's lines are no lines of its file
            return True
        return any(first <= evidence.end_line and evidence.line <= last for first, last in changed)


def read_changes(since: str | None, root: Path) -> Changes | None:
    """What changed in the folder since a revision; None where nobody asked.

    Raises UsageError where there is no git, no work tree or no such revision.
    """
    if since is None:
        return None
    try:
        top = git.work_tree(root)
        commit = git.commit_called(root, since)
        if commit is None:
            raise UsageError(_no_such(since))
        changed = git.changed_since(top, commit)
        known = git.tracked(top)
    except git.GitError as error:
        where = f"{root}: " if root.name else ""
        raise UsageError(f"--since {since}: {where}{error}; scan without --since") from None
    lines = {one.path: _lines(one.patch) for one in changed}
    folder = os.path.relpath(os.path.realpath(root), os.path.realpath(top)).replace(os.sep, "/")
    return Changes("" if folder == "." else folder, lines, known)


def _no_such(since: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in since)
    hint = "a shallow clone may lack it: fetch it, or name another"
    return f'--since: git knows no revision "{shown}"; {hint}'


def _lines(patch: bytes | None) -> Lines:
    """The changed lines by a patch without context.

    Where lines were only taken out, both neighbours of the gap count as changed.
    """
    if patch is None or _BINARY.search(patch):
        return None
    found = []
    for match in _HUNK.finditer(patch):
        first, count = int(match[1]), int(match[2] or 1)
        found.append((first, first + count - 1) if count else (first, first + 1))
    return tuple(found)
