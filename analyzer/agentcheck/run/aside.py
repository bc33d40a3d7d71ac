"""Tests are left aside: no rule reports what they do, and what runs is not told by them.

They are read where code that is no test imports them, where the user named the file, where
nothing else is there, and for rules that look at tests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from agentcheck.model.kind import code_kind
from agentcheck.source.discover import SourceFile

if TYPE_CHECKING:  # a run that remembers its report asks only which files are tests
    from agentcheck.facts.brief import Brief


def tests_among(files: Sequence[SourceFile]) -> frozenset[str]:
    """The paths of the files that can be left aside."""
    tests = frozenset(f.path for f in files if not f.named and code_kind(f.path) == "test")
    return tests if len(tests) < len(files) else frozenset()


def wanted(files: Iterable[Brief], tests: Collection[str]) -> frozenset[str]:
    """Those of some tests that files import, themselves or through others of these files."""
    from agentcheck.graph.layout import Layout
    from agentcheck.graph.modules import Modules

    known = {file.path: file for file in files}
    asking = [path for path, file in known.items() if path in tests or file.names_tests]
    left = set(tests) - known.keys()
    if not asking or not left:
        return frozenset()
    every = [*known.values(), *map(_unread, sorted(left))]
    modules = Modules(every, Layout(every))
    return frozenset().union(*map(modules.imported_by, asking)) & left


def _unread(path: str) -> Brief:
    """A file of which nothing but its path is known."""
    from agentcheck.facts.brief import Brief

    return Brief(path, "", 0, ())
