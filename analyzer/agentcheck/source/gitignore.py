"""The .gitignore files that bear on a scanned folder, as git reads them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

_NAME = ".gitignore"


class Level(NamedTuple):
    """The patterns of one folder."""

    folder: Path
    spec: GitIgnoreSpec

    def verdict(self, path: Path, *, is_folder: bool) -> bool | None:
        """True for ignored, False for taken back by `!`, None where no pattern speaks."""
        inside = path.relative_to(self.folder).as_posix()
        return self.spec.check_file(f"{inside}/" if is_folder else inside).include


class Ignored:
    """What the patterns from the outermost folder down to here say."""

    def __init__(self, levels: tuple[Level, ...] = ()) -> None:
        self._levels = levels

    def enter(self, folder: Path) -> Ignored:
        """The same, with the patterns of a folder one level down added."""
        level = _read(folder)
        return self if level is None else Ignored((*self._levels, level))

    def __call__(self, path: Path, *, is_folder: bool = False) -> bool:
        """Whether a path is ignored. The innermost folder with an opinion decides."""
        for level in reversed(self._levels):
            verdict = level.verdict(path, is_folder=is_folder)
            if verdict is not None:
                return verdict
        return False


def above(root: Path) -> Ignored:
    """The patterns of the folders above `root`, up to the root of its git repository.

    None of them counts when they ignore `root` itself, for then the user asked for it by name.
    """
    ignored = Ignored()
    for folder in _up_to_repository(root):
        ignored = ignored.enter(folder)
        towards = root.relative_to(folder).parts
        steps = [folder.joinpath(*towards[: i + 1]) for i in range(len(towards))]
        if any(ignored(step, is_folder=True) for step in steps):
            return Ignored()
    return ignored


def spec_of(patterns: list[str]) -> GitIgnoreSpec:
    """A spec of those patterns that are valid; git passes over the others too."""
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in patterns if _is_valid(line))


def _is_valid(pattern: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return False
    return True


def _up_to_repository(root: Path) -> list[Path]:
    """The folders above `root` from the repository's root down; none outside a repository."""
    if (root / ".git").exists():
        return []
    above_root = list(root.parents)
    for i, folder in enumerate(above_root):
        if (folder / ".git").exists():
            return above_root[: i + 1][::-1]
    return []


def _read(folder: Path) -> Level | None:
    try:
        text = (folder / _NAME).read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return None
    return Level(folder, spec_of(text.splitlines()))
