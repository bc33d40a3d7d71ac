"""One file's bytes to its facts."""

from __future__ import annotations

import hashlib
from typing import Literal

from msgspec import Struct

from agentcheck.facts.scope import Gathering
from agentcheck.model.facts import Cell, FileFacts
from agentcheck.model.location import Where, packed
from agentcheck.source import gate
from agentcheck.source.collector import collector_paused
from agentcheck.source.decode import decode, lines_of
from agentcheck.source.errors import Unreadable
from agentcheck.source.ignores import ignores_of
from agentcheck.source.notebook import read_notebook


class Source(Struct, frozen=True):
    """A file that has passed the gate: its text, cells, and what had to be left out of it."""

    kind: Literal["python", "notebook"]
    text: str
    lines: tuple[str, ...]
    passage: gate.Passage
    cells: tuple[Cell, ...] = ()
    notes: tuple[str, ...] = ()


class NeedsLibCST(Exception):  # noqa: N818 - no error, but what a file takes to be read
    """CPython's tree of a file does not do: LibCST has to read it."""


def read_facts(path: str, data: bytes) -> FileFacts:
    """The facts of one file; `path` names it and tells notebooks (`.ipynb`) from Python.

    Raises Unreadable with a one-line reason. A file that the gate calls risky may end the
    process: `agentcheck.facts.pool` reads such files in one that may die.
    """
    with collector_paused():
        return facts_of(path, data, open_source(path, data))


def open_source(path: str, data: bytes) -> Source:
    """Everything before LibCST. Raises Unreadable with a one-line reason."""
    if path.endswith(".ipynb"):
        notebook = read_notebook(data)
        lines = lines_of(notebook.text)
        passage = gate.check(notebook.text, len(lines))
        return Source("notebook", notebook.text, lines, passage, notebook.cells, notebook.notes)
    if len(data) > gate.MAX_BYTES:
        raise Unreadable(gate.too_large(len(data)))
    text = decode(data)
    lines = lines_of(text)
    return Source("python", text, lines, gate.check(text, len(lines)))


def facts_of(path: str, data: bytes, source: Source, *, whole: bool = True) -> FileFacts:
    """The facts of an opened file. Raises Unreadable where LibCST cannot read it.

    Unless `whole` is set it need not: NeedsLibCST is raised where it would have to.
    """
    found = _indexed(source)
    if found is None and not whole:
        raise NeedsLibCST
    found = found or _whole(source)
    return FileFacts(
        path=path,
        digest=hashlib.sha256(data).hexdigest(),
        kind=source.kind,
        lines=source.lines,
        imports=tuple(found.imports),
        functions=tuple(f for f in found.functions if f is not None),
        classes=tuple(c for c in found.classes if c is not None),
        ignores=ignores_of(source.lines),
        cells=source.cells,
    )


def _indexed(source: Source) -> Gathering | None:
    """From CPython's tree, which is there for what is plain; None where that does not do."""
    from agentcheck.facts.index.indexing import indexed
    from agentcheck.facts.index.lowering import Unindexed

    tree = source.passage.tree
    if tree is None or source.passage.risk != "plain":
        return None
    try:
        return indexed(tree, source.text, source.lines, _all_of(source))
    except Unindexed:
        return None


def _whole(source: Source) -> Gathering:
    """From LibCST's tree of all of it."""
    from agentcheck.facts.whole import lowered

    try:
        return lowered(source.text, _all_of(source))
    except Unreadable as reason:
        raise Unreadable(source.passage.complaint or str(reason)) from None


def _all_of(source: Source) -> Where:
    last = source.lines[-1] if source.lines else ""
    return packed(1, 1, max(len(source.lines), 1), len(last) + 1)
