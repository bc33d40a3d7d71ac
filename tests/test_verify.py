"""`scan --verify` runs acceptance tests and says in every format what each of them showed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.command_line import Done, Here
from tests.run_targets import LOOP, write

from agentcheck.acceptance.verify import ABSENT, Said, play_tests

TEST = """\
# Finding F1, unbounded-loop (AC101): A loop
FINGERPRINT = "{fingerprint}"

import pytest


def test_it():
    {body}
"""
SHOWN = 'assert False, "the loop ran on"'


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """The command inside this process."""
    return Here(capfd)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A folder with one fault of `unbounded-loop`."""
    return write(tmp_path / "target", bot=LOOP)


ONE = ("--select", "unbounded-loop", "--isolated")


def proofs(here: Here, target: Path, *bodies: str) -> Path:
    """A folder with a test of the target's one finding for each of the bodies."""
    (finding,) = json.loads(here("scan", target, *ONE, "--output-format", "json").out)["findings"]
    folder = target.parent / "proofs"
    folder.mkdir()
    for number, body in enumerate(bodies):
        text = TEST.format(fingerprint=finding["fingerprint"], body=body)
        (folder / f"test_loop_{number}.py").write_text(text)
    return folder


def verified(here: Here, target: Path, folder: Path, form: str, *more: str) -> Done:
    asked: list[str | Path] = ["--verify", folder, "--verify-python", sys.executable, *more]
    return here("scan", target, *ONE, *asked, "--output-format", form)


def test_a_test_that_fails_makes_the_finding_known_by_running_it(here: Here, target: Path) -> None:
    folder = proofs(here, target, SHOWN)
    report = json.loads(verified(here, target, folder, "json").out)
    (finding,) = report["findings"]
    assert finding["run"] == {
        "verdict": "fails",
        "test": "test_loop_0.py",
        "why": "the loop ran on",
    }
    assert finding["known_by"] == ["code", "run"]
    assert finding["confidence"]["defect"] == "high"
    assert (report["verified"]["fails"], report["verified"]["settled"]) == (1, [])


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("full", "run: contradicted: its test passes on the code as it is (test_loop_0.py)"),
        ("concise", "[contradicted by its test]"),
        ("markdown", "**Run:** contradicted: its test passes on the code as it is"),
        ("html", "contradicted by its test"),
    ],
)
def test_a_finding_whose_test_passes_is_shown_as_contradicted(
    here: Here, target: Path, form: str, says: str
) -> None:
    folder = proofs(here, target, "pass")
    out = " ".join(verified(here, target, folder, form).out.split())
    assert says in out
    assert "1 contradicted" in out


def test_a_contradicted_finding_is_less_sure(here: Here, target: Path) -> None:
    folder = proofs(here, target, "pass")
    before = json.loads(here("scan", target, *ONE, "--output-format", "json").out)["findings"][0]
    after = json.loads(verified(here, target, folder, "json").out)["findings"][0]
    assert (before["confidence"]["defect"], after["confidence"]["defect"]) == ("high", "medium")
    assert after["known_by"] == ["code"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('pytest.skip("a person must fill in the runner")', "a person must fill in the runner"),
        ("raise LookupError('no such tool')", "LookupError: no such tool"),
        (
            "import no_such_package",
            f"ModuleNotFoundError: No module named 'no_such_package': {ABSENT}",
        ),
    ],
)
def test_a_test_that_does_not_get_to_the_fault_shows_nothing(
    here: Here, target: Path, body: str, why: str
) -> None:
    folder = proofs(here, target, body)
    (finding,) = json.loads(verified(here, target, folder, "json").out)["findings"]
    assert finding["run"] == {"verdict": "not-shown", "test": "test_loop_0.py", "why": why}
    assert finding["known_by"] == ["code"]


def test_a_file_that_cannot_be_imported_leaves_the_others_to_run(here: Here, target: Path) -> None:
    folder = proofs(here, target, SHOWN, "pass")
    broken = (folder / "test_loop_1.py").read_text()
    (folder / "test_loop_1.py").write_text(broken.replace("import pytest", "import no_such_one"))
    (finding,) = json.loads(verified(here, target, folder, "json").out)["findings"]
    assert finding["run"]["test"] == "test_loop_0.py"


def test_what_takes_too_long_is_ended(here: Here, target: Path) -> None:
    folder = proofs(here, target, "import time; time.sleep(300)")
    done = verified(here, target, folder, "json", "--verify-seconds", "3")
    (finding,) = json.loads(done.out)["findings"]
    assert finding["run"]["why"] == "not done in 3 s"


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("import os; os._exit(7)", "with status 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "by signal 9"),
    ],
)
def test_a_test_that_takes_its_process_with_it_leaves_the_others_to_run(
    here: Here, target: Path, body: str, how: str
) -> None:
    folder = proofs(here, target, body, SHOWN)
    said = play_tests(sorted(folder.glob("test_*.py")), target, sys.executable, 60)
    assert said["test_loop_1.py"] == Said("fails", "the loop ran on")
    assert said["test_loop_0.py"].verdict == "not-shown"
    assert said["test_loop_0.py"].why.startswith(f"pytest ended {how} and made no report")


def test_after_a_fix_the_test_of_a_finding_that_is_gone_passes(here: Here, target: Path) -> None:
    folder = proofs(here, target, "pass")
    write(target, bot=LOOP.replace("while True:", "for _ in range(9):"))
    done = verified(here, target, folder, "full")
    assert "verified: 0 fail today; 1 test of findings that are gone pass" in done.out
    report = json.loads(verified(here, target, folder, "json").out)
    assert [one["verdict"] for one in report["verified"]["settled"]] == ["passes"]


def test_tests_of_rules_that_are_not_asked_are_not_run(here: Here, target: Path) -> None:
    folder = proofs(here, target, SHOWN)
    asked = ("--verify", folder, "--verify-python", sys.executable, "--output-format", "json")
    report = json.loads(here("scan", target, "--select", "AC201", "--isolated", *asked).out)
    assert report["verified"] == {
        "folder": folder.as_posix(),
        "fails": 0,
        "passes": 0,
        "not_shown": 0,
        "settled": [],
    }


def test_the_code_under_test_finds_no_key_of_the_user(
    here: Here, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    folder = proofs(here, target, "import os; assert os.environ['OPENAI_API_KEY'] == 'sk-real'")
    (finding,) = json.loads(verified(here, target, folder, "json").out)["findings"]
    assert finding["run"]["verdict"] == "fails"


def test_all_may_be_named_from_the_folder_where_the_command_is_started(
    here: Here, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = proofs(here, target, SHOWN)
    monkeypatch.chdir(target.parent)
    python = os.path.relpath(sys.executable)
    asked = ("--verify", folder.name, "--verify-python", python, "--output-format", "json")
    done = here("scan", target.name, *ONE, *asked)
    assert json.loads(done.out)["findings"][0]["run"]["verdict"] == "fails"


def test_what_cannot_be_run_is_said_in_one_line(here: Here, target: Path, tmp_path: Path) -> None:
    folder = proofs(here, target, SHOWN)
    empty = tmp_path / "empty"
    empty.mkdir()
    scan = ("scan", target, *ONE, "--verify")
    assert "no generated tests" in here(*scan, empty, "--verify-python", sys.executable).error
    assert "no .venv there" in here(*scan, folder).error
    assert "no such interpreter" in here(*scan, folder, "--verify-python", tmp_path / "no").error
    assert "without --fix" in here(*scan, folder, "--fix").error
    assert "add it" in here("scan", target, *ONE, "--verify-seconds", "5").error
