"""The table of SDKs is what their data files give today."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

from agentcheck.frameworks.load import load

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "frameworks.md").read_text("utf-8")


def test_the_page_is_not_stale() -> None:
    page = runpy.run_path(str(DOCS / "frameworks.py"))["page"]
    assert page() == PAGE, "run `python docs/frameworks.py`"


def test_check_says_nothing_of_a_fresh_page() -> None:
    asked = [sys.executable, str(DOCS / "frameworks.py"), "--check"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_changed_page_is_called_stale(tmp_path: Path) -> None:
    script = tmp_path / "frameworks.py"
    script.write_text((DOCS / "frameworks.py").read_text("utf-8"), "utf-8")
    (tmp_path / "frameworks.md").write_text(PAGE + "one more line\n", "utf-8")
    asked = [sys.executable, str(script), "--check"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "is stale" in done.stderr


def test_every_sdk_has_a_row_that_leads_to_its_section() -> None:
    headings = {heading.lower() for heading in re.findall(r"^## (.+)$", PAGE, re.MULTILINE)}
    assert headings == {of.title.lower() for of in load()}
    anchors = {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in headings}
    linked = set(re.findall(r"^\| \[[^\]]+\]\(#([^)]+)\)", PAGE, re.MULTILINE))
    assert linked == anchors


def test_every_table_has_as_many_cells_in_each_row_as_in_its_head() -> None:
    tables = re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE)
    assert len(tables) > len(load())
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(widths) == 1
