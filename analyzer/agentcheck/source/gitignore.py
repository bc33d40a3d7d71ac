"""The .gitignore files that bear on a scanned folder, as git reads them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentcheck.model.pattern import lazy_re

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"
_ANYWHERE = "^(?:.+/)?"  # how pathspec begins a pattern that holds at any depth
_GROUP_NAME = lazy_re(r"\(\?P<\w+>")


class Level:
    """The patterns of one folder."""

    def __init__(self, folder: str, patterns: list[str]) -> None:
        self._skip = len(folder.rstrip(os.sep)) + 1
        self._patterns = patterns
        self._any = _any_of(patterns)

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """True for ignored, False for taken back by `!`, None where no pattern speaks."""
        inside = path[self._skip :].replace(os.sep, "/")
        name = f"{inside}/" if is_folder else inside
        if self._any.match(name) is None:
            return None
        return self._spec.check_file(name).include

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        """The patterns as git reads them: of most folders no name is like any of them."""
        return _spec_of(self._patterns)


class Ignored:
    """What the patterns from the outermost folder down to here say."""

    def __init__(self, levels: tuple[Level, ...] = ()) -> None:
        self._levels = levels

    def enter(self, folder: str) -> Ignored:
        """The same, with the patterns of a folder one level down added."""
        level = _read(folder)
        return self if level is None else Ignored((*self._levels, level))

    def __call__(self, path: str, *, is_folder: bool = False) -> bool:
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
        ignored = ignored.enter(str(folder))
        towards = root.relative_to(folder).parts
        steps = [folder.joinpath(*towards[: i + 1]) for i in range(len(towards))]
        if any(ignored(str(step), is_folder=True) for step in steps):
            return Ignored()
    return ignored


def _spec_of(patterns: list[str]) -> GitIgnoreSpec:
    """A spec of those patterns that are valid; git passes over the others too."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in patterns if _is_valid(line))


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression that matches wherever a pattern does: most names are none of them.

    Those that hold at any depth share what leads there: each alone would look through a name anew.
    """
    texts = [_GROUP_NAME.sub("(", text) for line in patterns if line and (text := _as_regex(line))]
    deep = [text.removeprefix(_ANYWHERE) for text in texts if text.startswith(_ANYWHERE)]
    plain = [text for text in texts if not text.startswith(_ANYWHERE)]
    ways = [f"(?:{text})" for text in plain]
    ways += [f"{_ANYWHERE}(?:{'|'.join(f'(?:{text})' for text in deep)})"] if deep else []
    return re.compile("|".join(ways) or "(?!)")


def _as_regex(line: str) -> str | None:
    """The expression for a pattern; None for a comment, and for one that is not valid."""
    try:
        regex: str | None = _pattern_class().pattern_to_regex(line)[0]
    except ValueError:
        return None
    return regex


@cache
def _pattern_class() -> Any:
    from pathspec import GitIgnoreSpec

    return type(GitIgnoreSpec.from_lines(["a"]).patterns[0])


def _is_valid(pattern: str) -> bool:
    from pathspec import GitIgnoreSpec

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


def _read(folder: str) -> Level | None:
    try:
        text = Path(folder, NAME).read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return None
    return Level(folder, text.splitlines())
