"""What a file's path says of its purpose."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

CodeKind = Literal["code", "example", "test"]
KINDS: tuple[CodeKind, ...] = ("code", "example", "test")

_TEST_FOLDERS = frozenset({"test", "tests", "__tests__"})
_EXAMPLE_WORDS = frozenset(
    {
        "example", "examples", "demo", "demos", "cookbook", "cookbooks", "sample", "samples",
        "tutorial", "tutorials", "doc", "docs", "notebooks", "quickstart", "quickstarts",
        "playground", "benchmarks",
    }
)  # fmt: skip


@lru_cache(maxsize=16_384)
def code_kind(path: str) -> CodeKind:
    """Whether a path, relative to the scanned folder, names a test, an example, or neither.

    Only folders named for tests or files that pytest collects are tests; a folder is an example
    by the last word of its name ("computer-use-demo"), a file by its first or last.
    """
    folder, _, name = path.lower().rpartition("/")
    stem = name.partition(".")[0]
    kind = _folder_kind(folder)
    if kind == "test" or _is_test_file(stem):
        return "test"
    words = stem.split("_")
    return kind if _EXAMPLE_WORDS.isdisjoint((words[0], words[-1])) else "example"


@lru_cache(maxsize=4096)
def _folder_kind(path: str) -> CodeKind:
    """What the names of the folders of a path say, in lower case."""
    folders = path.split("/")
    if not _TEST_FOLDERS.isdisjoint(folders):
        return "test"
    words = [re.split(r"[-_. ]", folder)[-1] for folder in folders]
    return "code" if _EXAMPLE_WORDS.isdisjoint(words) else "example"


def is_test_name(name: str) -> bool:
    """Whether a folder or module of this name, in lower case, holds tests."""
    return name in _TEST_FOLDERS or _is_test_file(name)


def _is_test_file(stem: str) -> bool:
    return stem.startswith("test_") or stem.endswith("_test") or stem == "conftest"
