"""The package stands alone: it needs Python 3.10 and the standard library, and nothing else."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agentcheck import testing
from agentcheck.testing import portable

PACKAGE = Path(__file__).parents[1] / "analyzer" / "agentcheck" / "testing"
IMPORTS = """
import pkgutil, sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
import agentcheck.testing
for module in pkgutil.walk_packages(agentcheck.testing.__path__, "agentcheck.testing."):
    if module.name != "agentcheck.testing.plugin":
        __import__(module.name)
new = set(sys.modules) - before
print(sorted({n.partition(".")[0] for n in new} - sys.stdlib_module_names))
print(sorted({".".join(n.split(".")[:2]) for n in new if n.startswith("agentcheck.")}))
print(agentcheck.testing.ScriptedModel().requests)
"""


def test_it_imports_nothing_but_the_standard_library(tmp_path: Path) -> None:
    folder = portable.copy_to(tmp_path)
    command = [sys.executable, "-I", "-S", "-c", IMPORTS, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['agentcheck']", "['agentcheck.testing']", "[]"]


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: file.stem)
def test_it_is_written_for_python_3_10(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 10))
    wanted = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    newer = {"typing.Self", "typing.Never", "typing.assert_never", "datetime.UTC", "enum.StrEnum"}
    assert not wanted & newer


def test_the_copy_is_this_package_and_agentcheck_itself_alone(tmp_path: Path) -> None:
    assert portable.main([str(tmp_path / "path")]) == 0
    copied = {p.relative_to(tmp_path / "path") for p in (tmp_path / "path").rglob("*.py")}
    mine = {Path("agentcheck", "testing", p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py")}
    assert copied == mine | {Path("agentcheck", "__init__.py")}


def test_a_folder_that_cannot_be_written_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert portable.main([str(tmp_path / "file")]) == 1
    assert portable.main([]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith(f"agentcheck.testing cannot be copied to {tmp_path / 'file'}: ")
    assert told[1].startswith("usage: ")


def test_the_page_about_it_names_every_script_and_nothing_else() -> None:
    page = (PACKAGE.parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
    table = page.partition("## Scripts")[2].partition("Arguments that are not given")[0]
    named = set(re.findall(r"`(\w+)\(", table))
    nouns = {"Reply", "Failure", "Dropped", "Slow", "recorded"}
    scripts = {n for n in testing.__all__ if n[0].islower()} - {"says", "asks", "recorded"}
    assert named - nouns == scripts
    assert nouns <= named <= set(testing.__all__)
