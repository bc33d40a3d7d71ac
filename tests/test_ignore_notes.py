"""Comments that accept findings are themselves looked at: unused, expired, wrong, too wide."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from tests.report_parts import HOSTILE
from tests.report_samples import make
from tests.run_targets import LOOP, UNBOUNDED, only, scan, write

from agentcheck.config import Settings
from agentcheck.model.report import Note
from agentcheck.report import FORMATS, render
from agentcheck.run import Request, run

ALL = Settings(persona="pedantic")


def loop_with(comment: str) -> str:
    return LOOP.replace("while True:", f"while True:  # agentcheck: {comment}")


def notes(folder: Path, text: str, settings: Settings = UNBOUNDED) -> list[tuple[str, int, str]]:
    return [(n.kind, n.line, n.text) for n in scan(write(folder, bot=text), settings).notes]


def test_a_comment_in_use_is_not_noted(tmp_path: Path) -> None:
    assert notes(tmp_path, loop_with("ignore[unbounded-loop] ends with the shift")) == []


def test_a_comment_that_hides_nothing_is_unused(tmp_path: Path) -> None:
    text = f"{LOOP}\nx = 1  # agentcheck: ignore[unbounded-loop] left behind\n"
    assert notes(tmp_path, text) == [
        ("unused-ignore", 14, "no finding of unbounded-loop is here: remove the comment")
    ]


def test_of_several_rules_only_the_unused_are_named(tmp_path: Path) -> None:
    both = Settings(select=("unbounded-loop", "handoff-race"))
    assert notes(tmp_path, loop_with("ignore[AC101, handoff-race] why"), both) == [
        ("unused-ignore", 7, "no finding of handoff-race is here: remove handoff-race from it")
    ]


def test_a_rule_that_was_not_asked_is_not_judged(tmp_path: Path) -> None:
    assert notes(tmp_path, "x = 1  # agentcheck: ignore[handoff-race] why\n") == []


def test_a_file_scanned_alone_is_not_judged(tmp_path: Path) -> None:
    write(tmp_path, bot="x = 1  # agentcheck: ignore[unbounded-loop] why\n")
    report = run(Request(paths=(str(tmp_path / "bot.py"),), jobs=1), UNBOUNDED)
    assert report.notes == ()


def test_a_comment_that_a_hidden_finding_needs_is_in_use(tmp_path: Path) -> None:
    settings = Settings(select=("unbounded-loop",), severity={"AC101": "low"}, min_severity="high")
    assert notes(tmp_path, loop_with("ignore[AC101] why"), settings) == []


def test_an_expired_comment_is_noted_with_what_to_do(tmp_path: Path) -> None:
    report = scan(write(tmp_path, bot=loop_with("ignore[AC101] soon expires=2020-01-31")))
    assert only(report).suppressed is None
    (note,) = report.notes
    assert note.kind == "expired-ignore"
    assert note.text == (
        "expired on 2020-01-31; what it accepted is reported again: mend it or set a later date"
    )


def test_an_expired_comment_with_nothing_to_hide_can_go(tmp_path: Path) -> None:
    text = "x = 1  # agentcheck: ignore[AC101] soon expires=2020-01-31\n"
    assert notes(tmp_path, text) == [
        ("expired-ignore", 1, "expired on 2020-01-31 and accepts nothing: remove the comment")
    ]


def test_reason_and_expiry_are_kept(tmp_path: Path) -> None:
    accepted = only(
        scan(write(tmp_path, bot=loop_with("ignore[AC101] ends at night expires=2999-01-31")))
    ).suppressed
    assert accepted is not None
    assert (accepted.reason, accepted.expires) == ("ends at night", "2999-01-31")


def test_a_name_of_no_rule_is_noted_with_the_one_that_was_meant(tmp_path: Path) -> None:
    assert notes(tmp_path, loop_with("ignore[unbounded-lop] why")) == [
        ("unknown-ignore", 7, 'no rule is called "unbounded-lop"; did you mean "unbounded-loop"?')
    ]


def test_a_comment_that_names_no_rule_is_noted_for_the_curious(tmp_path: Path) -> None:
    assert notes(tmp_path, loop_with("ignore")) == []
    told = notes(tmp_path, loop_with("ignore"), ALL)
    assert [kind for kind, _, _ in told] == ["blanket-ignore"]


def test_notes_do_not_decide_the_outcome(tmp_path: Path) -> None:
    report = scan(write(tmp_path, bot="x = 1  # agentcheck: ignore[unbounded-loop] why\n"))
    assert report.notes
    assert report.summary.findings == 0


def test_notes_are_shown_where_people_and_programs_look(tmp_path: Path) -> None:
    report = scan(write(tmp_path, bot="x = 1  # agentcheck: ignore[unbounded-loop] why\n"))
    for form in ("full", "concise"):
        assert "bot.py:1:8: note[unused-ignore]: no finding of" in render(report, form)
    assert "::notice file=bot.py,line=1,col=8,title=unused-ignore::" in render(report, "github")
    assert "Comments that accept findings" in render(report, "markdown")
    assert "Comments that accept findings" in render(report, "html")
    (told,) = json.loads(render(report, "json"))["notes"]
    assert (told["kind"], told["line"]) == ("unused-ignore", 1)
    invocation = json.loads(render(report, "sarif"))["runs"][0]["invocations"][0]
    (told,) = invocation["toolExecutionNotifications"]
    assert told["descriptor"]["id"] == "unused-ignore"
    region = told["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 8}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", HOSTILE)
def test_the_text_of_a_note_stays_text(form: str, text: str) -> None:
    made = Note(f"a{text}.py", 1, 1, "unknown-ignore", f'no rule is called "{text}"')
    plain, told = make(()), msgspec.structs.replace(make(()), notes=(made,))
    shown = render(told, form)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)
    if form == "html":
        assert shown.count("<script") == render(plain, form).count("<script")
        assert "<img" not in shown
    if form == "github":
        assert shown.count("\n") == 2
