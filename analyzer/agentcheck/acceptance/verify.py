"""Running generated tests where the target's own packages are, and what each of them says.

Every run is a process of its own with a time limit. What it needs of agentcheck is copied to a
folder that goes on its path alone, so that the environment needs pytest and the target's packages
and nothing else. The tests themselves keep other machines and providers out of reach.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

from agentcheck.model.errors import UsageError
from agentcheck.model.pattern import lazy_re
from agentcheck.testing.environment import KEY, KEYS
from agentcheck.testing.portable import copy_to

Verdict = Literal["fails", "passes", "not-shown"]
FINGERPRINT = lazy_re(r"""^FINGERPRINT = ["']([0-9a-zA-Z]+)["']$""", re.MULTILINE)
PATHS = lazy_re(r"^sys\.path\.insert\(0, (.*)\)$", re.MULTILINE)
RULE = lazy_re(r"^# Finding [^,\n]*, ([a-z0-9-]+) \(", re.MULTILINE)
ABSENT = "install what the target needs where its tests run"
LONGEST = 500  # characters of a message


class Said(NamedTuple):
    """What a test file says: it fails for the fault's own reason, passes, or shows nothing."""

    verdict: Verdict
    why: str = ""


class Test(NamedTuple):
    """A generated test file, with the fingerprint and the rule of its finding.

    `paths` is what it puts on Python's path: files that put the same there can share a process.
    """

    file: Path
    fingerprint: str
    rule: str
    paths: str


class _Ended(NamedTuple):
    """What a process printed, and its status: below 0 the signal that ended it."""

    printed: str
    status: int

    def words(self) -> str:
        """Why it made no report."""
        how = f"by signal {-self.status}" if self.status < 0 else f"with status {self.status}"
        last = self.printed.strip().splitlines()[-1:] or ["nothing"]
        return f"pytest ended {how} and made no report; it said {last[0][:LONGEST]}"


class _Case(NamedTuple):
    """What one test says; a file says what the lowest `rank` does. A skip leaves it to others."""

    rank: int
    said: Said


def tests_in(folder: Path) -> list[Test]:
    """The generated test files of a folder, in order.

    Raises UsageError where there is no such folder or no such file in it.
    """
    found = []
    for path in sorted(folder.glob("test_*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        fingerprint, rule = FINGERPRINT.search(text), RULE.search(text)
        if fingerprint and rule:
            paths = ";".join(PATHS.findall(text))
            found.append(Test(path, fingerprint[1], rule[1], paths))
    if not found:
        raise UsageError(f"{folder}: no generated tests; write them with agentcheck tests PATH -o")
    return found


def interpreter_of(root: Path, asked: str | None) -> str:
    """The interpreter to run tests with: the one asked for, else that of the target's environment.

    Looked for are `.venv` and `venv` in the scanned folder and above it, up to its repository.
    Raises UsageError where none is found or the one that was asked for is not there.
    """
    if asked is not None:
        if not Path(asked).is_file():
            raise UsageError(f"{asked}: no such interpreter; name that of the target's environment")
        return str(Path(asked).absolute())  # the tests run in another folder
    for folder in _up_to_repository(root):
        for name in (".venv/bin/python", "venv/bin/python", ".venv/Scripts/python.exe"):
            if (folder / name).is_file():
                return str((folder / name).absolute())
    raise UsageError(
        f"{root}: no .venv there to run the tests in; name its interpreter with --verify-python"
    )


def _up_to_repository(root: Path) -> list[Path]:
    """The folder and those above it in its repository; the folder alone outside of any."""
    above = [root, *root.parents]
    ends = [number for number, folder in enumerate(above) if (folder / ".git").exists()]
    return above[: ends[0] + 1] if ends else [root]


def play_tests(files: Sequence[Path], target: Path, python: str, seconds: float) -> dict[str, Said]:
    """What each of the files, all in one folder, says of the target, by its name.

    They share a process; where that takes more than `seconds` a file, or dies before it has made
    its report, each gets one of its own. What takes longer is ended with all that it started.
    Raises UsageError where the interpreter has no pytest.
    """
    said = _played(files, target, python, seconds * len(files)) if files else {}
    if not isinstance(said, str):
        return said
    if len(files) == 1:
        return {files[0].name: Said("not-shown", said)}
    alone = [play_tests([file], target, python, seconds) for file in files]
    return {name: one for made in alone for name, one in made.items()}


def _played(
    files: Sequence[Path], target: Path, python: str, seconds: float
) -> dict[str, Said] | str:
    """The same in one process; why there is no report, where there is none."""
    with tempfile.TemporaryDirectory(prefix="agentcheck_verify_") as made:
        scratch = Path(made)
        copy_to(scratch / "path")
        (scratch / "pytest.ini").write_text("[pytest]\naddopts =\n", encoding="utf-8")
        report = scratch / "report.xml"
        command = [python, "-m", "pytest", "-q", "-c", str(scratch / "pytest.ini")]
        command += ["-p", "agentcheck.testing.plugin", "-p", "no:cacheprovider"]
        command += ["--continue-on-collection-errors"]
        command += [f"--rootdir={files[0].resolve().parent}"]
        command += [f"--junitxml={report}", *(str(file.resolve()) for file in files)]
        ended = _run(command, target, _environment(scratch / "path", target), seconds)
        if ended is None:
            return f"not done in {seconds:g} s"
        if "No module named pytest" in ended.printed:
            raise UsageError(f"{python}: pytest is not installed there; it runs the tests")
        return _read(report, files) or ended.words()


def _environment(path: Path, target: Path) -> Mapping[str, str]:
    own = {
        "PYTHONPATH": str(path),
        "AGENTCHECK_TARGET": str(target.resolve()),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    keys = {**dict.fromkeys(KEYS, KEY), "HF_TOKEN": f"hf_{KEY}"}  # its form is looked at
    return {**os.environ, **keys, **own}


def _run(command: list[str], target: Path, env: Mapping[str, str], seconds: float) -> _Ended | None:
    """How a process ended; None where it had to be ended."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the interpreter that the user named
            command,
            cwd=target if target.is_dir() else target.parent,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise UsageError(f"{command[0]}: {error.strerror}") from None
    try:
        printed, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        return None
    return _Ended(printed.decode(errors="replace"), process.returncode)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()


def _read(report: Path, files: Sequence[Path]) -> dict[str, Said] | None:
    """What the report says of each file; None where there is no whole one."""
    try:
        cases = list(ET.parse(report).iter("testcase"))  # noqa: S314 - written by pytest just now
    except (OSError, ET.ParseError):
        return None
    return {file.name: _first([_said(c) for c in cases if _is_of(c, file)]) for file in files}


def _is_of(case: ET.Element, file: Path) -> bool:
    """Whether a case is one of a file's; a file that could not be collected is one itself."""
    parts = f"{case.get('classname', '')}.{case.get('name', '')}".split(".")
    return file.stem in parts


def _said(case: ET.Element) -> _Case:
    for child in case:
        words = (child.get("message") or "").split("\n")[0][:LONGEST]
        words = words.removeprefix("agentcheck.testing.harness.NotShownError: ")
        if child.tag == "failure" and words.startswith("AssertionError"):
            return _Case(0, Said("fails", words.removeprefix("AssertionError").lstrip(": ")))
        if child.tag in ("failure", "error"):
            return _Case(1, Said("not-shown", _reason(child, words)))
        if child.tag == "skipped":
            return _Case(3, Said("not-shown", _skip_reason(child, words)))
    return _Case(2, Said("passes"))


def _reason(child: ET.Element, words: str) -> str:
    """The error's own line: of one at collection, pytest's message is that there was one."""
    lines = [line[1:].strip() for line in (child.text or "").splitlines() if line.startswith("E  ")]
    said = (lines[-1] if words == "collection failure" and lines else words)[:LONGEST]
    return f"{said}: {ABSENT}" if said.startswith("ModuleNotFoundError") else said


def _skip_reason(child: ET.Element, words: str) -> str:
    """The reason of a skip: of a whole file's, pytest's message is that it was skipped."""
    found = re.search(r"Skipped: (.*?)['\"]?\)?$", child.text or "", re.DOTALL)
    return (found[1] if words == "collection skipped" and found else words)[:LONGEST]


def _first(cases: Iterable[_Case]) -> Said:
    ranked = sorted(cases, key=lambda case: case.rank)
    return ranked[0].said if ranked else Said("not-shown", "no test of the file was run")
