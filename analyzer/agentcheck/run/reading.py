"""Which files of a target are read, and what became of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from agentcheck.facts.brief import Brief
from agentcheck.model.facts import FileFacts
from agentcheck.model.report import Skipped
from agentcheck.rule import AgentGraph
from agentcheck.run.aside import tests_among, wanted
from agentcheck.run.linking import as_module
from agentcheck.run.request import Tell
from agentcheck.source.texts import Texts

if TYPE_CHECKING:
    from agentcheck.facts.at_hand import Read
    from agentcheck.facts.kept import KeptFacts
    from agentcheck.source.discover import Discovery, SourceFile


Load: TypeAlias = Callable[[Iterable[str]], list[FileFacts]]
Fetch: TypeAlias = Callable[[Iterable[str]], object]


def _none(_: Iterable[str]) -> list[FileFacts]:
    return []


class Code(Struct, frozen=True):
    """The code that was read, its `files` in brief: `load` gives the facts of some by their paths,
    and `fetch` has them at hand for processes that are forked.

    `graph` is None when none was asked for. `tests` are paths of tests that were left aside; those
    that were read nevertheless, for rules that look at tests, are `of_tests`. `unread` are other
    files and folders that are there but were not read, by the paths at which imports look for
    them, `texts` what was read beside the code. `sure` where the same bytes will always come to
    the same.
    """

    root: Path
    files: tuple[Brief, ...] = ()
    tests: tuple[str, ...] = ()
    of_tests: tuple[Brief, ...] = ()
    load: Load = _none
    fetch: Fetch = _none
    skipped: tuple[Skipped, ...] = ()
    unread: tuple[str, ...] = ()
    graph: AgentGraph | None = None
    texts: Texts | None = None
    sure: bool = True


class Reading:
    """What reading the files of a target came to, by path."""

    def __init__(
        self, found: Discovery, jobs: int | None, tell: Tell, facts: KeptFacts | None
    ) -> None:
        self._found = found
        self._jobs = jobs
        self._tell = tell
        self._facts = facts
        self._done: dict[str, Read] = {}

    def code(self, *, tests: bool) -> Code:
        """The code that is no test, with the tests that it imports; others where they are asked
        for."""
        found = self._found
        aside = tests_among(found.files)
        self._read([f.path for f in found.files if tests or f.path not in aside])
        used = self._followed(found.files, aside)
        outcomes = [self._done[f.path].record for f in found.files if f.path in self._done]
        read = [one.brief for one in outcomes if one.brief is not None]
        skipped = tuple(skipped for one in outcomes for skipped in one.skipped)
        return Code(
            found.root,
            tuple(brief for brief in read if brief.path in used),
            tests=tuple(sorted(aside - used)),
            of_tests=tuple(brief for brief in read if brief.path not in used),
            load=self._facts_of,
            fetch=self._fetch,
            skipped=(*found.skipped, *skipped),
            unread=tuple(map(as_module, (*found.passed_over, *(one.file for one in skipped)))),
            sure=all(one.sure for one in outcomes),
        )

    def _followed(self, files: Sequence[SourceFile], aside: frozenset[str]) -> set[str]:
        """The paths of the files that are linked: all but tests that nothing else imports."""
        used = {file.path for file in files} - aside
        while more := wanted(self._briefs(used), aside - used):
            self._read(sorted(more))
            used |= more
        return used

    def _briefs(self, paths: Iterable[str]) -> list[Brief]:
        done = (self._done[path].record.brief for path in sorted(paths))
        return [brief for brief in done if brief is not None]

    def _facts_of(self, paths: Iterable[str]) -> list[FileFacts]:
        done = (self._done[path].facts() for path in sorted(paths))
        return [facts for facts in done if facts is not None]

    def _fetch(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._done[path].fetch()

    def _read(self, paths: Sequence[str]) -> None:
        from agentcheck.facts.pool import read_records

        names = set(paths) - self._done.keys()
        files = [file for file in self._found.files if file.path in names]
        done, count = len(self._done), len(self._done) + len(files)

        def more(files: int) -> None:
            nonlocal done
            done += files
            self._tell(f"read {done} of {count} files")

        outcomes = read_records(files, self._jobs, more, kept=self._facts) if files else []
        self._done |= {file.path: one for file, one in zip(files, outcomes, strict=True)}
