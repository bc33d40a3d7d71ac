"""What is asked and what is shown: selectors, filters, comments, configuration, baseline."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.run_targets import LOOP, only, scan, write

from agentcheck.config import FileIgnore, Settings, UsageError, load_settings
from agentcheck.run.baseline import baseline_text, read_baseline


def loop_with(comment: str, *, above: str = "") -> str:
    """The loop with a comment at the end of its line, and one on a line of its own above."""
    text = LOOP.replace("while True:", f"while True:{comment}")
    return text.replace("    while", f"    {above}\n    while") if above else text


# What is not shown


def test_findings_below_the_shown_severity_are_counted_as_hidden(tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP)
    everything = scan(tmp_path, Settings(persona="auditor"))
    high = scan(tmp_path, Settings(persona="auditor", min_severity="high"))
    assert {f.severity for f in high.findings} == {"high"}
    assert high.summary.hidden == len(everything.findings) - len(high.findings) > 0


@pytest.mark.parametrize("name", ["unbounded-loop", "AC101", "AC1", "limits"])
def test_a_comment_that_names_the_rule_accepts_the_finding(tmp_path: Path, name: str) -> None:
    comment = f"  # agentcheck: ignore[{name}] an operator watches this"
    report = scan(write(tmp_path, bot=loop_with(comment)))
    accepted = only(report).suppressed
    assert accepted is not None
    assert (accepted.by, accepted.file, accepted.line) == ("ignore", "bot.py", 7)
    assert accepted.reason == "an operator watches this"
    assert (report.summary.findings, report.summary.suppressed) == (0, 1)


def test_a_bare_comment_accepts_every_finding_of_its_line(tmp_path: Path) -> None:
    report = scan(write(tmp_path, bot=loop_with("  # agentcheck: ignore")))
    assert only(report).suppressed


def test_a_comment_counts_on_any_line_of_evidence(tmp_path: Path) -> None:
    text = LOOP.replace("messages=messages)", "messages=messages)  # agentcheck: ignore[AC101] x")
    assert only(scan(write(tmp_path, bot=text))).suppressed


def test_a_comment_alone_on_the_line_above_counts(tmp_path: Path) -> None:
    text = loop_with("", above="# agentcheck: ignore[AC101] bounded by the caller")
    assert only(scan(write(tmp_path, bot=text))).suppressed


def test_a_comment_behind_the_statement_above_does_not_count(tmp_path: Path) -> None:
    text = loop_with("", above="turns = 0  # agentcheck: ignore[AC101] not this line")
    assert only(scan(write(tmp_path, bot=text))).suppressed is None


def test_a_comment_for_another_rule_does_not_count(tmp_path: Path) -> None:
    report = scan(write(tmp_path, bot=loop_with("  # agentcheck: ignore[AC9] other")))
    assert only(report).suppressed is None


def test_an_expired_comment_no_longer_counts(tmp_path: Path) -> None:
    report = scan(
        write(tmp_path, bot=loop_with("  # agentcheck: ignore[AC101] soon expires=2020-01-31"))
    )
    assert only(report).suppressed is None


def test_a_comment_that_has_not_expired_counts(tmp_path: Path) -> None:
    report = scan(
        write(tmp_path, bot=loop_with("  # agentcheck: ignore[AC101] soon expires=2999-01-31"))
    )
    assert only(report).suppressed


def test_rules_are_silent_in_files_that_the_configuration_excepts(tmp_path: Path) -> None:
    write(tmp_path, **{"old/bot": LOOP, "new/bot": LOOP})
    settings = Settings(
        select=("unbounded-loop",), per_file_ignores=(FileIgnore("old/", ("AC1",)),)
    )
    accepted = {f.primary.file: f.suppressed for f in scan(tmp_path, settings).findings}
    assert accepted["new/bot.py"] is None
    assert accepted["old/bot.py"] is not None
    assert accepted["old/bot.py"].by == "config"


def test_the_baseline_accepts_what_it_knows_and_nothing_new(tmp_path: Path) -> None:
    target = write(tmp_path / "code", bot=LOOP)
    known = tmp_path / "known.json"
    known.write_text(baseline_text(scan(target)), "utf-8")
    write(target, later=LOOP)
    report = scan(target, Settings(select=("unbounded-loop",), baseline=str(known)))
    accepted = {f.primary.file: f.suppressed and f.suppressed.by for f in report.findings}
    assert accepted == {"bot.py": "baseline", "later.py": None}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "other/1"}', "[" * 100_000])
def test_a_file_that_is_no_baseline_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match="not a baseline"):
        read_baseline(str(path))


# Which rules are asked


@pytest.mark.parametrize(
    ("select", "ignore", "asked"),
    [
        (["ALL"], ["limits"], False),
        (["limits"], [], True),
        (["AC1"], ["AC101"], False),
        (["AC101"], ["AC1"], True),
        (["unbounded-loop"], ["unbounded-loop"], False),
        (["AC2"], [], False),
    ],
)
def test_the_more_exact_selector_wins_and_at_a_draw_ignore_does(
    tmp_path: Path, select: list[str], ignore: list[str], *, asked: bool
) -> None:
    flags = {"select": select, "ignore": ignore, "extend-select": ["AC202"]}
    settings = load_settings(tmp_path, isolated=True, flags=flags)
    questions = {q.rule for q in scan(write(tmp_path, bot=LOOP), settings).questions}
    assert ("unbounded-loop" in questions) == asked


def test_a_selector_that_names_no_rule_suggests_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'"unbounded-lop"; did you mean "unbounded-loop"\?'):
        scan(write(tmp_path, bot=LOOP), Settings(ignore=("unbounded-lop",)))
