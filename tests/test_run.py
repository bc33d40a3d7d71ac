"""The whole pipeline on small targets: what is reported, in which order, under which name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.run_targets import LOOP, UNBOUNDED, only, scan, write

from agentcheck.config import Settings, UsageError
from agentcheck.model.card import PRIORITIES
from agentcheck.run import Request, run
from agentcheck.run.commit import commit_of


def test_a_fault_is_reported_with_its_place_and_counted(tmp_path: Path) -> None:
    report = scan(write(tmp_path, bot=LOOP))
    finding = only(report)
    assert (finding.id, finding.rule, finding.subject) == ("F1", "unbounded-loop", "answer")
    assert finding.primary.file == "bot.py"
    assert finding.primary.text.strip() == "while True:"
    assert finding.trace.verdict == "no-runs"
    assert report.summary.findings == report.summary.by_severity["high"] == 1
    assert (report.target.files, report.target.lines) == (1, len(LOOP.splitlines()))


def test_a_scanned_file_is_reported_under_its_name(tmp_path: Path) -> None:
    write(tmp_path, **{"deep/bot": LOOP})
    report = run(Request(paths=(str(tmp_path / "deep" / "bot.py"),), jobs=1), UNBOUNDED)
    assert only(report).primary.file == "bot.py"


def test_every_question_and_answer_is_in_the_report(tmp_path: Path) -> None:
    report = scan(write(tmp_path, bot=LOOP))
    assert [q.rule for q in report.questions] == ["unbounded-loop"]
    assert [(a.subject, a.verdict) for a in report.assessments] == [("answer", "not-met")]
    assert report.summary.verdicts["not-met"] == 1


def test_source_from_stdin_is_a_target_like_any_other() -> None:
    report = run(Request(stdin=LOOP.encode(), stdin_name="src/bot.py"), UNBOUNDED)
    assert only(report).primary.file == "src/bot.py"


# Fingerprints


def test_a_fingerprint_survives_lines_added_above_and_spaces_at_the_end(tmp_path: Path) -> None:
    before = only(scan(write(tmp_path / "a", bot=LOOP)))
    moved = '"""Doc."""\n\n' + LOOP.replace("while True:", "while  True:   ")
    after = only(scan(write(tmp_path / "b", bot=moved)))
    assert after.primary.text != before.primary.text
    assert after.fingerprint == before.fingerprint


def test_equal_lines_in_one_function_have_different_fingerprints(tmp_path: Path) -> None:
    body = LOOP[LOOP.index("    while") :].replace("return message.content", "break")
    twice = LOOP[: LOOP.index("    while")] + body + body
    prints = [f.fingerprint for f in scan(write(tmp_path, bot=twice)).findings]
    assert len(prints) == len(set(prints)) == 2


def test_a_fingerprint_differs_by_file(tmp_path: Path) -> None:
    prints = {f.fingerprint for f in scan(write(tmp_path, a=LOOP, b=LOOP)).findings}
    assert len(prints) == 2


# Order and priority


def test_library_code_comes_before_examples_and_examples_before_tests(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{"tests/helper": LOOP, "examples/bot": LOOP, "zoo/core": LOOP, "zoo/__init__": ""},
    )
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'zoo'\n", "utf-8")
    found = [(f.id, f.primary.file) for f in scan(tmp_path).findings]
    # The rule leaves tests out altogether; were it not so, they would come last.
    assert found[:2] == [("F1", "zoo/core.py"), ("F2", "examples/bot.py")]


def test_where_all_is_example_code_it_weighs_as_much_as_a_product(tmp_path: Path) -> None:
    report = scan(write(tmp_path, **{"examples/bot": LOOP}))
    assert report.profile.form == "example"
    assert only(report).priority == "fix-now"


def test_ids_follow_the_order_of_the_report(tmp_path: Path) -> None:
    report = scan(write(tmp_path, a=LOOP, b=LOOP), Settings())
    assert [f.id for f in report.findings] == [f"F{n + 1}" for n in range(len(report.findings))]
    ranks = [PRIORITIES.index(f.priority) for f in report.findings]
    assert ranks == sorted(ranks)


# Profile


def test_code_with_packaging_is_a_library(tmp_path: Path) -> None:
    write(tmp_path, **{"zoo/__init__": "", "zoo/core": LOOP})
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = zoo\n", "utf-8")
    assert scan(tmp_path).profile.form == "library"


def test_code_with_a_server_is_an_unattended_application(tmp_path: Path) -> None:
    profile = scan(write(tmp_path, bot="import fastapi\n" + LOOP)).profile
    assert (profile.form, profile.interaction) == ("app", "unattended")
    assert profile.basis["form"] == "bot.py:1 imports fastapi"


def test_code_that_asks_at_the_terminal_is_interactive(tmp_path: Path) -> None:
    text = LOOP + "\n\ndef main():\n    print(answer([input('> ')]))\n"
    profile = scan(write(tmp_path, bot=text)).profile
    assert profile.interaction == "interactive"
    assert profile.basis["interaction"].startswith("bot.py:")


def test_a_server_that_is_told_whose_request_it_serves_has_many_tenants(tmp_path: Path) -> None:
    text = "import fastapi\n" + LOOP.replace(
        "def answer(messages)", "def answer(messages, user_id)"
    )
    assert scan(write(tmp_path, bot=text)).profile.tenancy == "many"


def test_the_configured_profile_wins(tmp_path: Path) -> None:
    settings = Settings(select=("unbounded-loop",), profile={"form": "library"})
    profile = scan(write(tmp_path, bot=LOOP), settings).profile
    assert (profile.form, profile.basis["form"]) == ("library", "configured")


# What cannot be scanned


def test_a_folder_without_python_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", "utf-8")
    with pytest.raises(UsageError, match="no Python file or notebook found"):
        scan(tmp_path)


def test_a_file_that_cannot_be_read_is_named_with_its_reason(tmp_path: Path) -> None:
    report = scan(write(tmp_path, bot=LOOP, broken="def f(:\n"))
    assert [skipped.file for skipped in report.skipped] == ["broken.py"]
    assert report.summary.skipped == 1


def test_a_target_of_which_nothing_can_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing could be read; broken\.py: "):
        scan(write(tmp_path, broken="def f(:\n"))


# The commit


def test_the_commit_is_read_from_a_detached_head(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    git.mkdir()
    (git / "HEAD").write_text("a" * 40 + "\n", "utf-8")
    assert commit_of(tmp_path) == "a" * 40


def test_the_commit_is_read_from_a_branch_loose_or_packed(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (git / "packed-refs").write_text(f"# pack-refs\n{'b' * 40} refs/heads/main\n", "utf-8")
    assert commit_of(tmp_path / "inner") == "b" * 40
    (git / "refs" / "heads" / "main").write_text("c" * 40, "utf-8")
    assert commit_of(tmp_path) == "c" * 40


@pytest.mark.parametrize("head", ["", "ref: ../../etc/passwd", "ref: refs/../../x", "junk"])
def test_a_head_that_makes_no_sense_gives_no_commit(tmp_path: Path, head: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head, "utf-8")
    assert commit_of(tmp_path) is None
