"""One file's bytes to its facts."""

from __future__ import annotations

import hashlib
from typing import Literal

import libcst as cst
from msgspec import Struct

from agentcheck.facts import (
    compound,
    containers,
    definitions,
    expressions,
    imports,
    simple,
    strings,
)
from agentcheck.facts.context import Context
from agentcheck.model.facts import Cell, FileFacts
from agentcheck.model.location import Span
from agentcheck.source import gate
from agentcheck.source.collector import collector_paused
from agentcheck.source.decode import decode, lines_of
from agentcheck.source.errors import Unreadable
from agentcheck.source.ignores import ignores_of
from agentcheck.source.notebook import read_notebook
from agentcheck.source.parse import parse, room_to_recurse
from agentcheck.source.positions import Positions

_EXPRESSIONS = {**expressions.TABLE, **containers.TABLE, **strings.TABLE}
_STATEMENTS = {**simple.TABLE, **compound.TABLE, **imports.TABLE, **definitions.TABLE}


class Source(Struct, frozen=True):
    """A file that has passed the gate: its text, cells, and what had to be left out of it."""

    kind: Literal["python", "notebook"]
    text: str
    lines: tuple[str, ...]
    passage: gate.Passage
    cells: tuple[Cell, ...] = ()
    notes: tuple[str, ...] = ()


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


def facts_of(path: str, data: bytes, source: Source) -> FileFacts:
    """The facts of an opened file. Raises Unreadable where LibCST cannot read it."""
    with room_to_recurse():
        context = _lowered(_tree(source), source)
    return FileFacts(
        path=path,
        digest=hashlib.sha256(data).hexdigest(),
        kind=source.kind,
        lines=source.lines,
        imports=tuple(context.imports),
        functions=tuple(f for f in context.functions if f is not None),
        classes=tuple(c for c in context.classes if c is not None),
        ignores=ignores_of(source.lines),
        cells=source.cells,
    )


def _tree(source: Source) -> cst.Module:
    try:
        return parse(source.text)
    except Unreadable as reason:
        raise Unreadable(source.passage.complaint or str(reason)) from None


def _lowered(tree: cst.Module, source: Source) -> Context:
    try:
        positions = Positions(tree, source.text)
    except ValueError as error:
        raise Unreadable(f"cannot tell lines and columns: {error}") from None
    context = Context(positions, _EXPRESSIONS, _STATEMENTS)
    last = source.lines[-1] if source.lines else ""
    definitions.module(context, tree, Span(1, 1, max(len(source.lines), 1), len(last) + 1))
    return context
