"""The baseline: what is new, what is fixed, what is still there; renamed files are followed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.git_targets import Repository, needs_git
from tests.run_targets import LOOP, UNBOUNDED, scan, write

from agentcheck.config import Settings
from agentcheck.model.report import Compared, Report
from agentcheck.report import render
from agentcheck.run.baseline import baseline_text


def known(folder: Path, path: Path) -> Settings:
    """Settings with today's findings as the baseline."""
    path.write_text(baseline_text(scan(folder)), "utf-8")
    return Settings(select=UNBOUNDED.select, baseline=str(path))


def compared(report: Report) -> Compared | None:
    return report.summary.baseline


def test_new_fixed_and_unchanged_findings_are_counted(tmp_path: Path) -> None:
    target = write(tmp_path / "code", bot=LOOP, gone=LOOP)
    settings = known(target, tmp_path / "known.json")
    (target / "gone.py").write_text("", "utf-8")
    write(target, later=LOOP)
    report = scan(target, settings)
    assert compared(report) == Compared(new=1, fixed=1, unchanged=1)
    text = render(report, "concise", color="never")
    assert "against the baseline: 1 new, 1 fixed, 1 unchanged" in text


def test_without_a_baseline_nothing_is_compared(tmp_path: Path) -> None:
    report = scan(write(tmp_path, bot=LOOP))
    assert compared(report) is None
    assert "baseline" not in render(report, "concise", color="never")


def test_moved_lines_are_unchanged(tmp_path: Path) -> None:
    target = write(tmp_path / "code", bot=LOOP)
    settings = known(target, tmp_path / "known.json")
    write(target, bot=f'"""Moved down."""\n\n\n{LOOP}')
    assert compared(scan(target, settings)) == Compared(new=0, fixed=0, unchanged=1)


def test_what_was_not_asked_about_is_not_called_fixed(tmp_path: Path) -> None:
    target = write(tmp_path / "code", bot=LOOP)
    settings = known(target, tmp_path / "known.json")
    other = Settings(select=("handoff-race",), baseline=settings.baseline)
    assert compared(scan(target, other)) == Compared(new=0, fixed=0, unchanged=0)


def test_what_could_not_be_read_is_not_called_fixed(tmp_path: Path) -> None:
    target = write(tmp_path / "code", bot=LOOP, fine="x = 1\n")
    settings = known(target, tmp_path / "known.json")
    write(target, bot="def broken(:\n")
    assert compared(scan(target, settings)) == Compared(new=0, fixed=0, unchanged=0)


def test_sarif_says_which_results_are_new(tmp_path: Path) -> None:
    target = write(tmp_path / "code", bot=LOOP)
    settings = known(target, tmp_path / "known.json")
    write(target, later=LOOP)
    results = json.loads(render(scan(target, settings), "sarif"))["runs"][0]["results"]
    states = {
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: r["baselineState"]
        for r in results
    }
    assert states == {"bot.py": "unchanged", "later.py": "new"}


@needs_git
def test_a_file_that_git_knows_to_be_renamed_is_unchanged(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "work")
    target = write(repository.folder / "src", bot=LOOP)
    repository.commit()
    settings = known(target, tmp_path / "known.json")
    repository("mv", "src/bot.py", "src/agent.py")
    assert compared(scan(target, settings)) == Compared(new=0, fixed=0, unchanged=1)
    repository.commit()
    write(target, later=LOOP)
    assert compared(scan(target, settings)) == Compared(new=1, fixed=0, unchanged=1)


def test_a_renamed_file_outside_of_git_is_new_and_its_old_name_fixed(tmp_path: Path) -> None:
    target = write(tmp_path / "code", bot=LOOP)
    settings = known(target, tmp_path / "known.json")
    (target / "bot.py").rename(target / "agent.py")
    assert compared(scan(target, settings)) == Compared(new=1, fixed=1, unchanged=0)
