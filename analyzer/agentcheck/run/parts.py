"""A target in parts: programs, and small ones together.

Files that import one another, however indirectly, are a program. No other file makes a difference
to what rules say of it, so a part is linked and asked about by itself, in a process of its own.
Where it turns out that a part needs a file of another, the two are done as one.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias
from zlib import crc32

from agentcheck.facts.brief import Brief
from agentcheck.graph.components import Groups
from agentcheck.graph.modules import Modules
from agentcheck.run.forked import forked, processes
from agentcheck.run.kept_parts import packed, unpacked
from agentcheck.run.part import Examiner, Part
from agentcheck.run.reading import Code
from agentcheck.source.collector import collector_paused
from agentcheck.source.texts import Texts

if TYPE_CHECKING:
    from agentcheck.run.kept_parts import KeptParts

# A part of fewer lines costs more to begin than to do.
_SMALL_LINES = 1_500
# From this on a part is worth several processes by itself, in which its rules are asked.
LARGE_LINES = 60_000
# Below this, starting processes takes longer than what they take over.
_WORTH_LINES = 15_000
# After so many what parts left is collected: it weighs as much as a large part.
_COLLECT_LINES = 60_000

_New: TypeAlias = tuple[Part, bytes | None]
"""What came of a part, and the same packed where another process did it."""


def divided(files: Sequence[Brief], programs: Sequence[int]) -> list[list[str]]:
    """The paths of the files of each part: one program, or several small ones.

    `programs` has the number of the first file of the program of each.

    Which small programs go together depends on their first files and roughly on their number, so
    that a change in one leaves the other parts as they were.
    """
    groups: dict[str, list[str]] = {}
    for file, number in zip(files, programs, strict=True):
        groups.setdefault(files[number].path, []).append(file.path)
    lines = {file.path: file.lines for file in files}
    sizes = {first: sum(lines[path] for path in group) for first, group in groups.items()}
    small = [first for first, size in sizes.items() if size < _SMALL_LINES]
    count = sum(sizes[first] for first in small) // _SMALL_LINES
    buckets = 1 << count.bit_length()
    found: dict[str, list[str]] = {}
    for first, group in groups.items():
        alone = sizes[first] >= _SMALL_LINES
        name = first if alone else f"#{crc32(first.encode('utf-8', 'replace')) % buckets}"
        found.setdefault(name, []).extend(group)
    return [sorted(group) for group in found.values()]


class Parts:
    """The parts of a target, each done once; `programs` are given where they are known."""

    def __init__(
        self,
        files: Sequence[Brief],
        code: Code,
        examiner: Examiner,
        jobs: int | None,
        kept: KeptParts | None = None,
        programs: Sequence[int] | None = None,
    ) -> None:
        self._digests = {file.path: file.digest for file in files}
        self._lines = {file.path: file.lines for file in files}
        self._code = code
        self._kept = kept
        self._examiner = examiner
        self._jobs = processes(jobs)
        self._files = files
        self._known = programs
        self._left = 0  # lines of parts since what they left was collected

    def all(self) -> list[Part]:
        """What comes of every part."""
        todo = divided(self._files, self.programs)
        done: list[tuple[list[str], Part]] = []
        while todo:
            done += zip(todo, self._done(todo), strict=True)
            todo = list(_rejoined(done))
            redone = {path for paths in todo for path in paths}
            done = [one for one in done if redone.isdisjoint(one[0])]
        return [part for _, part in done]

    @cached_property
    def programs(self) -> Sequence[int]:
        """The number of the first file of the program of each file."""
        if self._known is not None:
            return self._known
        modules = Modules(self._files, self._examiner.linking.layout)
        numbers = {file.path: number for number, file in enumerate(self._files)}
        return [numbers[modules.component(file.path)] for file in self._files]

    def _done(self, todo: Sequence[Sequence[str]]) -> list[Part]:
        """What comes of some parts, in their order, as earlier runs told or anew."""
        known = self._kept.known(todo) if self._kept is not None else {}
        left = [n for n in range(len(todo)) if n not in known]
        new = list(zip(left, self._new([todo[n] for n in left]), strict=True))
        if self._kept is not None:
            self._kept.keep((todo[n], part, data) for n, (part, data) in new)
        known.update((n, part) for n, (part, _) in new)
        return [known[n] for n in range(len(todo))]

    def _new(self, todo: Sequence[Sequence[str]]) -> list[_New]:
        """What comes of some parts that are done now; large ones are done in this process."""
        large = [n for n, paths in enumerate(todo) if self._size(paths) >= LARGE_LINES]
        small = [n for n in range(len(todo)) if n not in large]
        small.sort(key=lambda n: -self._size(todo[n]))  # so that no process is left with a long one
        done: dict[int, _New] = {}
        others = self._others([todo[n] for n in small], [todo[n] for n in large])
        if not others:
            done.update(self._here(todo, small))
            done.update((n, (self._part(todo[n], self._jobs), None)) for n in large)
            return [done[n] for n in range(len(todo))]

        for n in small:
            self._code.fetch(todo[n])
        with forked(lambda n: self._encoded(todo[small[n]]), len(small), others) as told:
            done.update((n, (self._part(todo[n], self._jobs), None)) for n in large)
            for number, n in enumerate(small):
                data = told(number)
                done[n] = (self._part(todo[n]) if data is None else unpacked(data).part, data)
        return [done[n] for n in range(len(todo))]

    def _others(self, small: Iterable[Sequence[str]], large: Iterable[Sequence[str]]) -> int:
        """How many other processes small parts are worth, while this one does the large ones."""
        lines, here = (sum(map(self._size, parts)) for parts in (small, large))
        if self._jobs == 1 or lines < (_SMALL_LINES if here else _WORTH_LINES):
            return 0
        return self._jobs - 1 if here > lines else self._jobs

    def _here(
        self, todo: Sequence[Sequence[str]], numbers: Iterable[int]
    ) -> Iterator[tuple[int, _New]]:
        for number in numbers:
            self._collect(todo[number])
            yield number, (self._part(todo[number]), None)

    def _encoded(self, paths: Sequence[str]) -> bytes:
        """A part that is done in a process forked from this one."""
        if not self._left:
            gc.freeze()  # what is inherited is no garbage, and looking at it would copy it
        self._collect(paths)
        return packed(self._part(paths), Texts(self._examiner.wanted.root))

    def _collect(self, paths: Sequence[str]) -> None:
        """Collect what earlier parts left, if it is much by now; the one of some files is next."""
        if self._left >= _COLLECT_LINES:
            gc.collect()
            self._left = 0
        self._left += 1 + self._size(paths)

    def _part(self, paths: Sequence[str], jobs: int = 1) -> Part:
        with collector_paused():
            facts = self._code.load(paths)
        part = self._examiner.part(facts, jobs)
        part.missed = [path for path in part.missed if path not in paths]
        part.sure = [(f.path, f.digest) for f in facts] == [(p, self._digests[p]) for p in paths]
        return part

    def _size(self, paths: Iterable[str]) -> int:
        return sum(self._lines[path] for path in paths)


def _rejoined(done: Sequence[tuple[list[str], Part]]) -> Iterator[list[str]]:
    """The parts that need files of others, together with these."""
    if not any(part.missed for _, part in done):
        return
    groups = Groups(path for paths, _ in done for path in paths)
    firsts = set[str]()
    for paths, part in done:
        groups.join(*paths)
        if part.missed:
            groups.join(paths[0], *part.missed)
            firsts.add(paths[0])
    again = {groups.first(path) for path in firsts}
    yield from (sorted(paths) for first, paths in groups.all().items() if first in again)
