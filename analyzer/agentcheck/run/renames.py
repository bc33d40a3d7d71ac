"""Files of the scanned folder that git knows to have been renamed."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from agentcheck.run import git


def renamed_since(root: Path, revision: str) -> dict[str, str]:
    """Old names by new ones, both relative to the folder; none where git cannot tell."""
    try:
        top, commit = git.work_tree(root), git.commit_called(root, revision)
        changed = git.changed_since(top, commit, patch=False) if commit else []
    except git.GitError:
        return {}
    folder = PurePosixPath(os.path.relpath(os.path.realpath(root), os.path.realpath(top)))
    moved = [(PurePosixPath(c.path), PurePosixPath(c.old)) for c in changed if c.path != c.old]
    return {
        str(new.relative_to(folder)): str(old.relative_to(folder))
        for new, old in moved
        if new.is_relative_to(folder) and old.is_relative_to(folder)
    }
