"""Which fixes are carried out together, and what the files are then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import libcst as cst
from msgspec import Struct
from msgspec.structs import replace

from agentcheck.fix.actions import Change, change_of
from agentcheck.fix.errors import Unfixable
from agentcheck.fix.find import find, require
from agentcheck.fix.tree import Tree, grow, shrink
from agentcheck.model.finding import Finding
from agentcheck.model.fix import Edit, Fix
from agentcheck.source.parse import room_to_recurse


class Changed(Struct, frozen=True):
    """A file before and after."""

    file: str
    before: bytes
    after: bytes


class Left(Struct, frozen=True, order=True):
    """A finding that has a fix and keeps it, and why."""

    file: str
    why: str


class Plan(Struct, frozen=True):
    """What a round of fixing does.

    `fixed` are the findings that it mends, `unsafe` counts those that only an unsafe fix would,
    `later` those that share lines with one of them: the next round is for these.
    """

    changed: tuple[Changed, ...] = ()
    fixed: tuple[Finding, ...] = ()
    unsafe: int = 0
    later: int = 0
    left: tuple[Left, ...] = ()


def plan(findings: Iterable[Finding], read: Callable[[str], bytes], *, unsafe: bool) -> Plan:
    """Plan a round: findings in their order, each with all its edits or none.

    `read` gives a file's bytes by its name in the report and raises Unfixable with the reason for
    leaving it alone.
    """
    able = [(finding, finding.fix) for finding in findings if finding.fix is not None]
    taken = [(one, fix) for one, fix in able if unsafe or fix.applicability == "safe"]
    refused = list[Left]()
    while True:
        made, broken = _round(taken, read)
        if not broken:
            left = tuple(sorted((*made.left, *refused)))
            return replace(made, unsafe=len(able) - len(taken), left=left)
        refused += [Left(broken[0], broken[1]) for _, fix in taken if _concerns(fix, broken[0])]
        taken = [(one, fix) for one, fix in taken if not _concerns(fix, broken[0])]


def _concerns(fix: Fix, file: str) -> bool:
    return any(edit.file == file for edit in fix.edits)


def _round(
    taken: Sequence[tuple[Finding, Fix]], read: Callable[[str], bytes]
) -> tuple[Plan, tuple[str, str] | None]:
    """The plan, and the first file that its edits together would spoil, with the reason."""
    files = _Files(read, [edit for _, fix in taken for edit in fix.edits])
    fixed, left, later = list[Finding](), list[Left](), 0
    for finding, fix in taken:
        try:
            if files.take(fix):
                fixed.append(finding)
            else:
                later += 1
        except Unfixable as reason:
            left.append(Left(fix.edits[0].file, str(reason)))
    changed, broken = files.results()
    return Plan(changed, tuple(fixed), 0, later, tuple(left)), broken


class _Files:
    """The files that edits are about, each opened once, with the edits taken so far."""

    def __init__(self, read: Callable[[str], bytes], edits: Sequence[Edit]) -> None:
        self._read = read
        self._edits = edits
        self._opened: dict[str, _File | Unfixable] = {}

    def take(self, fix: Fix) -> bool:
        """Take all edits of a fix; not where one of them is on lines that are changed already.

        Raises Unfixable where one of them cannot be done at all.
        """
        new = list[Edit]()
        for edit in fix.edits:
            file = self._open(edit.file)
            require(file.nodes, [edit])
            if edit in file.taken or edit in new:
                continue
            if any(_meet(edit, other) for other in file.taken):
                return False
            new.append(edit)
        for edit in new:
            self._open(edit.file).taken.append(edit)
        return True

    def results(self) -> tuple[tuple[Changed, ...], tuple[str, str] | None]:
        """The changed files, or the first that cannot be changed so after all, and why."""
        changed = list[Changed]()
        for name, file in sorted(self._opened.items()):
            if isinstance(file, Unfixable) or not file.taken:
                continue
            try:
                changed.append(Changed(name, file.data, file.result()))
            except Unfixable as reason:
                return (), (name, str(reason))
        return tuple(changed), None

    def _open(self, name: str) -> _File:
        if name not in self._opened:
            try:
                about = [edit for edit in self._edits if edit.file == name]
                self._opened[name] = _File(self._read(name), about)
            except Unfixable as reason:
                self._opened[name] = reason
        opened = self._opened[name]
        if isinstance(opened, Unfixable):
            raise opened
        return opened


class _File:
    def __init__(self, data: bytes, edits: Sequence[Edit]) -> None:
        self.data = data
        self.tree: Tree = grow(data)
        self.nodes = find(self.tree, edits)
        self.taken: list[Edit] = []

    def result(self) -> bytes:
        changes = {id(self.nodes[edit]): change_of(edit, self.tree.module) for edit in self.taken}
        with room_to_recurse():
            module = self.tree.module.visit(_Changer(changes))
        return shrink(self.tree, module)


class _Changer(cst.CSTTransformer):
    """Applies each change to its node, after those of the nodes inside it."""

    def __init__(self, changes: dict[int, Change]) -> None:
        super().__init__()
        self._changes = changes

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        change = self._changes.get(id(original_node))
        return change(updated_node) if change else updated_node  # type: ignore[return-value]


def _meet(one: Edit, other: Edit) -> bool:
    """Whether two edits of a file share a line."""
    return one.span.line <= other.span.end_line and other.span.line <= one.span.end_line
