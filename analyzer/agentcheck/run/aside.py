"""Tests are left aside: no rule reports what they do, and what runs is not told by them.

They are read where code that is no test imports them, where the user named the file, where
nothing else is there, and for rules that look at tests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from agentcheck.model.kind import code_kind, is_test_name
from agentcheck.source.discover import SourceFile

if TYPE_CHECKING:  # a run that remembers its report asks only which files are tests
    from agentcheck.model.facts import FileFacts, Import


def tests_among(files: Sequence[SourceFile]) -> frozenset[str]:
    """The paths of the files that can be left aside."""
    tests = frozenset(f.path for f in files if not f.named and code_kind(f.path) == "test")
    return tests if len(tests) < len(files) else frozenset()


def wanted(files: Iterable[FileFacts], tests: Collection[str]) -> frozenset[str]:
    """Those of some tests that files import, themselves or through others of these files."""
    from agentcheck.graph.modules import Modules

    known = {file.path: file for file in files}
    asking = [path for path, file in known.items() if path in tests or _names_tests(file)]
    left = set(tests) - known.keys()
    if not asking or not left:
        return frozenset()
    modules = Modules([*known.values(), *map(_unread, sorted(left))])
    return frozenset().union(*map(modules.imported_by, asking)) & left


def _names_tests(file: FileFacts) -> bool:
    return any(any(map(is_test_name, _words(imported))) for imported in file.imports)


def _words(imported: Import) -> list[str]:
    return [*imported.module.lower().split("."), (imported.name or "").lower()]


def _unread(path: str) -> FileFacts:
    """A file of which nothing but its path is known."""
    from agentcheck.model.facts import FileFacts

    return FileFacts(path, "", "python", (), (), (), (), ())
