"""Show the faults of a real repository by tests: each fails today, and passes once it is mended.

    python benchmarks/acceptance.py swarm CHECKOUT [--python PYTHON] [--keep FOLDER]

CHECKOUT is a checkout of openai/swarm. It is read and copied, never changed. PYTHON is the
interpreter of an environment with
the target's own dependencies and pytest; without it, one is made in a scratch folder. Tests are
written by `agentcheck tests` from today's code. They are run on today's code, on a copy that is
mended by the edits in mends_swarm.py, and on copies with one fault put back. No model is asked, no
key is needed. Other targets: quickstarts, cs_agents, smolagents.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from edits import apply

from agentcheck.acceptance.verify import Said, play_tests

TARGETS = ("swarm", "quickstarts", "cs_agents", "smolagents")
SECONDS = 60.0  # a test file


class Demonstration(NamedTuple):
    """What is shown: the target's folder in the checkout, how it is mended, and where to work."""

    target: Path
    mends: ModuleType
    scratch: Path
    python: str
    tests: dict[str, list[str]]

    def run(self, target: Path) -> dict[str, Said]:
        """What every test says of a target."""
        files = [self.scratch / "tests" / f for group in self.tests.values() for f in group]
        return play_tests(files, target, self.python, SECONDS)

    def copy(self, name: str, faults: Iterable[str]) -> Path:
        """A copy of the target in which these faults are mended."""
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.target, folder, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        apply(folder, [edit for fault in faults for edit in self.mends.MENDS[fault]])
        return folder


def main() -> int:
    """Print the table; 1 unless every fault is shown, mended and told from the others."""
    options = _options()
    mends = importlib.import_module(f"mends_{options.target}")
    scratch = Path(options.keep or tempfile.mkdtemp(prefix="acceptance_")).resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        target = (options.checkout / mends.FOLDER).resolve()
        tests = written_tests(target, scratch / "tests", mends)
        python = options.python or made_environment(scratch / "environment", mends.NEEDS)
        return _shown(Demonstration(target, mends, scratch, python, tests))
    finally:
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("checkout", type=Path, help="a checkout of the target's repository")
    parser.add_argument("--python", help="an interpreter with its dependencies and pytest")
    parser.add_argument("--keep", help="work here, and leave the copies and tests behind")
    return parser.parse_args()


def _shown(demo: Demonstration) -> int:
    count = sum(len(files) for files in demo.tests.values())
    print(f"{count} tests written for {len(demo.tests)} of {len(demo.mends.MENDS)} faults")
    today = demo.run(demo.target)
    mended = demo.run(demo.copy("mended", demo.mends.MENDS))
    good = len(demo.tests) == len(demo.mends.MENDS)
    for fault, files in demo.tests.items():
        back = demo.run(demo.copy("back", [name for name in demo.mends.MENDS if name != fault]))
        strays = sorted({f for f in back if back[f].verdict != "passes"} - set(files))
        row = [_said(run, files) for run in (today, mended, back)]
        good = good and row == ["fails", "passes", "fails"] and not strays
        print(f"\n{fault}: {demo.mends.FAULTS[fault]}")
        print(f"  today {row[0]}; mended {row[1]}; put back {row[2]}", end="")
        print(f", and so do {', '.join(strays)}" if strays else ", and nothing else does")
        for file in files:
            print(f"    {file}\n      {today[file].why}")
        _explain("mended", mended, files, "passes")
        _explain("put back", back, files, "fails")
        _explain("put back", back, sorted(set(back) - set(files)), "passes")
    print("\nEvery fault is shown." if good else "\nNot every fault is shown.")
    return 0 if good else 1


def _explain(state: str, run: dict[str, Said], files: Iterable[str], wanted: str) -> None:
    """Say of each file that does not say what it should what it says, and why."""
    for file in files:
        if run[file].verdict != wanted:
            print(f"    {state}: {file} {run[file].verdict}: {run[file].why}")


def _said(run: dict[str, Said], files: Iterable[str]) -> str:
    verdicts = {run[file].verdict for file in files}
    return verdicts.pop() if len(verdicts) == 1 else f"mixed ({', '.join(sorted(verdicts))})"


def written_tests(target: Path, folder: Path, mends: ModuleType) -> dict[str, list[str]]:
    """Write the tests of every finding; the names of the files by the fault that each shows."""
    command = [sys.executable, "-m", "agentcheck", "tests", str(target), "-o", str(folder)]
    subprocess.run([*command, "--persona", "auditor", "--isolated", "--quiet"], check=True)
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "allow_module_level=True" in text:  # a person must fill something in
            continue
        for fault in mends.MENDS:
            if mends.shows(fault, *_about(text)):
                found.setdefault(fault, []).append(path.name)
    return {fault: found[fault] for fault in mends.MENDS if fault in found}


def _about(text: str) -> tuple[str, str, str]:
    """The topic of a test file, the place that its finding points at, and the text."""
    topic = re.search(r"^# Finding [^,]*, ([a-z0-9-]+) ", text, re.MULTILINE)
    place = re.search(r"^# Line: (\S+)", text, re.MULTILINE)
    return topic[1] if topic else "", place[1] if place else "", text


def made_environment(folder: Path, needs: Iterable[str]) -> str:
    """The interpreter of a new virtual environment with these packages."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *needs], check=True)
    return str(python)


if __name__ == "__main__":
    sys.exit(main())
