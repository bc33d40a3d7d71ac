"""The Python source of a Jupyter notebook (nbformat 4, and 3 with its worksheets)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from agentcheck.model.facts import Cell
from agentcheck.source.decode import lines_of
from agentcheck.source.errors import Unreadable
from agentcheck.source.magics import without_magics

_PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"

MAX_BYTES = 64_000_000  # outputs, images among them, are stored with the code


class Notebook(Struct, frozen=True):
    """The code cells joined, and where each begins; `notes` name cells that were left out."""

    text: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()


class _Language(Struct):
    name: str | None = None
    language: str | None = None


class _Metadata(Struct):
    kernelspec: _Language | None = None
    language_info: _Language | None = None


class _CellJson(Struct):
    cell_type: str = ""
    source: str | list[str] = ""
    input: str | list[str] = ""  # the source, in nbformat 3
    language: str | None = None


class _Worksheet(Struct):
    cells: list[_CellJson] = []


class _NotebookJson(Struct):
    cells: list[_CellJson] | None = None
    worksheets: list[_Worksheet] | None = None
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


def read_notebook(data: bytes) -> Notebook:
    """The code of a notebook with IPython's own syntax blanked, line for line.

    Raises Unreadable for broken JSON, for JSON that is no notebook and for other languages.
    """
    notebook = _parse(data)
    codes = [cell for cell in _cells(notebook) if cell.cell_type == "code"]
    _require_python(notebook, codes)
    return _join([_source(cell) for cell in codes])


def _parse(data: bytes) -> _NotebookJson:
    try:
        return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=_NotebookJson)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"not a readable notebook: {str(error).splitlines()[0]}") from None


def _cells(notebook: _NotebookJson) -> list[_CellJson]:
    if notebook.cells is not None:
        return notebook.cells
    if notebook.worksheets is None:
        raise Unreadable("not a notebook: it has neither cells nor worksheets")
    return [cell for sheet in notebook.worksheets for cell in sheet.cells]


def _require_python(notebook: _NotebookJson, codes: Sequence[_CellJson]) -> None:
    kernel, info = notebook.metadata.kernelspec, notebook.metadata.language_info
    named = [info.name if info else None, kernel.language if kernel else None]
    named += [cell.language for cell in codes]
    language = next((name for name in named if name), "python")
    if language.lower() not in ("python", "python3", "ipython", "ipython3"):
        raise Unreadable(f"a notebook in {language[:40]}, not in Python")


def _source(cell: _CellJson) -> str:
    source = cell.source or cell.input
    return source if isinstance(source, str) else "".join(source)


def _join(sources: Sequence[str]) -> Notebook:
    """Every cell gets at least one line, so that no two cells begin on the same one."""
    cells: list[Cell] = []
    lines: list[str] = []
    notes: list[str] = []
    for number, source in enumerate(sources, 1):
        cells.append(Cell(number, len(lines) + 1))
        code = without_magics(lines_of(source))
        if code is None:
            notes.append(f"cell {number} is not valid {_PYTHON} and was left out")
        lines += (code or [""] * len(lines_of(source))) or [""]
    text = "".join(f"{line}\n" for line in lines)
    return Notebook(text, tuple(cells), tuple(notes))
