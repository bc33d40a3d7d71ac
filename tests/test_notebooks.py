"""Notebooks become Python with their cells known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentcheck.facts.read import read_facts
from agentcheck.model.location import Span
from agentcheck.source.errors import Unreadable
from agentcheck.source.notebook import Notebook, read_notebook


def notebook(*sources: str | list[str], **metadata: Any) -> bytes:
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "source": "# Title"}]
    cells += [{"cell_type": "code", "source": source, "outputs": []} for source in sources]
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}).encode()


def read(*sources: str | list[str]) -> Notebook:
    return read_notebook(notebook(*sources))


def test_code_cells_are_joined_and_their_first_lines_known() -> None:
    book = read(["a = 1\n", "b = 2"], "", "c = 3\n")
    assert book.text == "a = 1\nb = 2\n\nc = 3\n"
    assert [(cell.number, cell.first_line) for cell in book.cells] == [(1, 1), (2, 3), (3, 4)]


def test_the_older_format_with_worksheets_is_read() -> None:
    cell = {"cell_type": "code", "input": ["x = 1"], "language": "python"}
    data = json.dumps({"worksheets": [{"cells": [cell]}], "nbformat": 3, "metadata": {}})
    assert read_notebook(data.encode()).text == "x = 1\n"


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("!pip install agents\nx = 1", "\nx = 1\n"),
        ("%matplotlib inline\nx = 1", "\nx = 1\n"),
        ("x?\n?x\nx.y??\ny = 1", "\n\n\ny = 1\n"),
        ("if a:\n    !ls\n    %time f()", "if a:\n    pass\n    pass\n"),
        ("files = !ls\nn = %who", "files = ...\nn = ...\n"),
        ("%%time\nx = 1", "\nx = 1\n"),
        ("%%bash\nls -l\necho", "\n\n\n"),
        ("\n%%writefile a.py\nx = 1", "\n\n\n"),
        ("!ls\np = '''\n!keep\nwhy?\n%this\n'''", "\np = '''\n!keep\nwhy?\n%this\n'''\n"),
        ("!ls\ns = ('%s'\n%b)\nt = 1 \\\n%c", "\ns = ('%s'\n%b)\nt = 1 \\\n%c\n"),
        ("s = ('%s'\n  % x)", "s = ('%s'\n  % x)\n"),
        ("x = await f()", "x = await f()\n"),
    ],
)
def test_ipython_syntax_is_blanked_and_every_line_keeps_its_number(cell: str, plain: str) -> None:
    assert read(cell).text == plain


def test_a_cell_that_is_no_python_is_left_out_and_named() -> None:
    book = read("x = 1", "Describe the plan here,\nplease", "y = 2")
    assert book.text == "x = 1\n\n\ny = 2\n"
    assert len(book.notes) == 1
    assert book.notes[0].startswith("cell 2 is not valid Python")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"cells": [', "not a readable notebook"),
        (b"[1, 2]", "not a readable notebook"),
        (b"", "not a readable notebook"),
        (b"\xff\xfe\x00", "not a readable notebook"),
        (b'{"cells": [{"cell_type": 3}]}', "not a readable notebook"),
        (b'{"nbformat": 4}', "neither cells nor worksheets"),
        (b'{"cells": ' + b"[" * 100_000, "not a readable notebook"),
        (notebook("1", language_info={"name": "julia"}), "a notebook in julia"),
        (notebook("1", kernelspec={"language": "R", "name": "ir"}), "a notebook in R"),
    ],
)
def test_what_is_no_python_notebook_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason) as caught:
        read_facts("n.ipynb", data)
    assert len(str(caught.value).splitlines()) == 1


def test_facts_of_a_notebook_are_placed_in_its_cells() -> None:
    data = notebook("!pip install x\nimport a", "", "def f():\n    return 1")
    facts = read_facts("n.ipynb", data)
    assert facts.kind == "notebook"
    assert facts.lines == ("", "import a", "", "def f():", "    return 1")
    place = facts.place(facts.functions[1].span)
    assert place.cell == 3
    assert place.span == Span(1, 1, 2, 13)
    assert place.text == "def f():"
