"""Broken imports as the whole pipeline sees them: parts of a package, extensions, releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentcheck.config import load_settings
from agentcheck.model.finding import Finding
from agentcheck.run import Request, run

RULE = "missing-import-target"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def findings(root: Path, *paths: Path) -> list[Finding]:
    settings = load_settings(root, isolated=True, flags={"select": [RULE], "persona": "auditor"})
    request = Request(paths=tuple(map(str, paths or (root,))), jobs=1)
    return list(run(request, settings).findings)


def test_a_module_that_was_not_named_with_the_others_is_no_broken_import(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "desk/__init__.py": "",
            "desk/run.py": "from desk.tools import pay\nfrom desk.parts import one\n",
            "desk/tools.py": "def pay(): ...\n",
            "desk/parts/__init__.py": "one = 1\n",
        },
    )
    named = [tmp_path / "desk/__init__.py", tmp_path / "desk/run.py"]
    assert findings(tmp_path, *named) == []


@pytest.mark.parametrize(
    "name", ["fast.pyi", "fast.pyx", "fast.cpython-312-x86_64-linux-gnu.so", "fast.pyd"]
)
def test_a_module_that_is_no_python_source_is_there(tmp_path: Path, name: str) -> None:
    write(
        tmp_path,
        {
            "desk/__init__.py": "",
            "desk/run.py": "from .fast import work\nfrom .slow import wait\n",
            f"desk/{name}": "",
        },
    )
    assert [f.subject for f in findings(tmp_path)] == [".slow.wait"]


IMPORTS = "from langchain.text_splitter import TokenTextSplitter\n"


@pytest.mark.parametrize(
    ("requirements", "broken"),
    [
        ("langchain\n", True),
        ("langchain>=1\n", True),
        ("langchain==0.3.7\n", False),
        ("openai==1.50\n", False),
    ],
    ids=["unpinned", "new", "old", "brought-by-something-else"],
)
def test_what_an_sdk_dropped_is_missing_in_the_release_that_is_asked_for(
    tmp_path: Path, requirements: str, broken: bool
) -> None:
    write(tmp_path, {"app.py": IMPORTS, "requirements.txt": requirements})
    found = findings(tmp_path)
    assert bool(found) == broken
    assert all("langchain_classic.text_splitter" in f.smallest_change for f in found)


def test_the_nearest_requirements_decide_what_is_missing(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "requirements.txt": "langchain\n",
            "old/requirements.txt": "langchain==0.2.1\n",
            "old/app.py": IMPORTS,
            "new/app.py": IMPORTS,
        },
    )
    assert [f.owner for f in findings(tmp_path)] == ["new/app.py"]


def test_a_module_may_import_itself_by_its_full_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "desk/__init__.py": "",
            "desk/parts/__init__.py": "from .dial import Dial\n",
            "desk/parts/dial.py": "class Dial: ...\n",
            "desk/parts/rope.py": (
                "class Rope: ...\n\n"
                "def tie():\n"
                "    from desk.parts.rope import Knot, Rope\n"
                "    return Rope, Knot\n"
            ),
        },
    )
    assert [f.subject for f in findings(tmp_path)] == ["desk.parts.rope.Knot"]


def test_a_part_of_a_package_is_not_taken_for_an_installed_package_of_its_name(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        {
            "desk/__init__.py": "",
            "desk/mcp/__init__.py": "",
            "desk/mcp/link.py": "from mcp.client.session import ClientSession\n",
        },
    )
    assert findings(tmp_path, tmp_path / "desk") == []


def test_inside_a_folder_named_like_a_package_the_package_is_meant(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "src/desk/__init__.py": "",
            "src/desk/tools/azure/__init__.py": "from .search import Search\n",
            "src/desk/tools/azure/search.py": (
                "from azure.core.credentials import AzureKeyCredential\n\nclass Search: ...\n"
            ),
        },
    )
    assert findings(tmp_path) == []
