"""Show every fault of openai/swarm by a test: it fails today, and passes once the fault is mended.

    git clone https://github.com/openai/swarm CHECKOUT
    python benchmarks/acceptance_swarm.py CHECKOUT [--python PYTHON] [--keep FOLDER]

The checkout is read and copied, never changed. PYTHON is the interpreter of an environment with
swarm's own dependencies and pytest; without it, one is made in a scratch folder. Tests are written
by `agentcheck tests` from today's code, and run on today's code, on a copy that is mended by the
edits in swarm_mended.py, and on copies with one fault put back. No model is asked and no key is
needed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from edits import apply
from swarm_mended import FAULTS, MENDS

NEEDS = ("openai>=1.33", "numpy", "requests", "tqdm", "pytest")
PACKAGE = "swarm/"  # the library itself; findings in its examples are another matter


class Outcome(NamedTuple):
    """How a test file ended: "passed", "failed", "skipped" or "broken", and the first message."""

    status: str
    message: str = ""


def main() -> int:
    """Print the table; 1 unless every fault is shown, mended and told from the others."""
    options = _options()
    scratch = Path(options.keep or tempfile.mkdtemp(prefix="acceptance_swarm_"))
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        return _shown(options.checkout.resolve(), scratch.resolve(), options.python)
    finally:
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("checkout", type=Path, help="a checkout of openai/swarm")
    parser.add_argument("--python", help="an interpreter with swarm's dependencies and pytest")
    parser.add_argument("--keep", help="work here, and leave the copies and tests behind")
    return parser.parse_args()


def _shown(checkout: Path, scratch: Path, python: str | None) -> int:
    tests = written_tests(checkout, scratch / "tests")
    python = python or made_environment(scratch / "environment")
    print(f"{sum(len(files) for files in tests.values())} tests written for {len(tests)} faults")
    today = run_tests(python, checkout, scratch)
    mended = run_tests(python, copy_of(checkout, scratch / "mended", MENDS), scratch)
    good = True
    for fault, files in tests.items():
        others = [name for name in MENDS if name != fault]
        back = run_tests(python, copy_of(checkout, scratch / "back", others), scratch)
        strays = sorted({f for f in back if back[f].status != "passed"} - set(files))
        row = [_said(run, files) for run in (today, mended, back)]
        good = good and row == ["fails", "passes", "fails"] and not strays
        print(
            f"\n{fault}  {FAULTS[fault]}\n  today {row[0]}, mended {row[1]}, put back {row[2]}",
            end="",
        )
        print(f", and so do {', '.join(strays)}" if strays else ", nothing else does")
        for file in files:
            print(f"    {file}\n      {today[file].message}")
    print("\nEvery fault is shown." if good else "\nNot every fault is shown.")
    return 0 if good else 1


def _said(run: dict[str, Outcome], files: Iterable[str]) -> str:
    statuses = {run[file].status for file in files}
    words = {"failed": "fails", "passed": "passes"}
    return words.get(*statuses, "mixed") if len(statuses) == 1 else f"is mixed: {statuses}"


def written_tests(checkout: Path, folder: Path) -> dict[str, list[str]]:
    """Write the tests of every finding; the names of the files by the fault that each shows."""
    command = [sys.executable, "-m", "agentcheck", "tests", str(checkout), "-o", str(folder)]
    subprocess.run([*command, "--persona", "auditor", "--isolated", "--quiet"], check=True)
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        topic = next(line for line in text.splitlines() if line.startswith("# Finding")).split()[3]
        place = next(line for line in text.splitlines() if line.startswith("# Line:")).split()[2]
        fault = _fault(topic)
        if fault and place.startswith(PACKAGE) and "fill_in_" not in text:
            found.setdefault(fault, []).append(path.name)
        else:
            path.unlink()
    return {fault: found[fault] for fault in MENDS if fault in found}


TOPICS = {
    "F1": ("unbounded-loop",),
    "F2": ("no-budget", "usage-unread"),
    "F3": ("finish-reason-unchecked",),
    "F4": ("tool-args-unguarded", "tool-error-ends-run"),
    "F5": ("unguarded-side-effect",),
    "F8": ("handoff-race",),
    "F11": ("streaming-drift",),
    "F15": ("provider-error-unhandled",),
    "F18": ("lossy-tool-schema", "no-timeout"),
    "F19": ("falsy-override-ignored",),
}


def _fault(topic: str) -> str | None:
    return next((fault for fault, topics in TOPICS.items() if topic in topics), None)


def made_environment(folder: Path) -> str:
    """The interpreter of a new virtual environment with what swarm needs."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *NEEDS], check=True)
    return str(python)


def copy_of(checkout: Path, folder: Path, faults: Iterable[str]) -> Path:
    """A copy of the checkout in which these faults are mended."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(checkout, folder, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    apply(folder, [edit for fault in faults for edit in MENDS[fault]])
    return folder


def run_tests(python: str, target: Path, scratch: Path) -> dict[str, Outcome]:
    """How each test file ends on a target."""
    from agentcheck.testing.portable import copy_to

    copy_to(scratch / "portable")
    report = scratch / "report.xml"
    report.unlink(missing_ok=True)
    env = {**os.environ, "PYTHONPATH": str(scratch / "portable"), "AGENTCHECK_TARGET": str(target)}
    env |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [python, "-m", "pytest", "-q", "-p", "agentcheck.testing.plugin", "-p"]
    command += ["no:cacheprovider", f"--junitxml={report}", "."]
    subprocess.run(command, cwd=scratch / "tests", env=env, capture_output=True, check=False)
    return _read(report)


def _read(report: Path) -> dict[str, Outcome]:
    worst = ("passed", "skipped", "failed", "broken")
    found: dict[str, Outcome] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest's own file
        name = f"{case.attrib['classname'].rpartition('.')[2]}.py"
        outcome = _outcome(case)
        if worst.index(outcome.status) >= worst.index(found.get(name, Outcome("passed")).status):
            found[name] = found[name] if name in found and found[name].message else outcome
    return found


def _outcome(case: ET.Element) -> Outcome:
    for child in case:
        said = (child.get("message") or "").split("\n")[0]
        if child.tag == "failure" and said.startswith("AssertionError"):
            return Outcome("failed", said.removeprefix("AssertionError: "))
        if child.tag in ("failure", "error"):
            return Outcome("broken", said)
        if child.tag == "skipped":
            return Outcome("skipped", said)
    return Outcome("passed")


if __name__ == "__main__":
    sys.exit(main())
