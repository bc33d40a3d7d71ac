"""The summary of recorded runs on the command line and in reports."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from rich.cells import cell_len
from tests.command_line import Here
from tests.expect_samples import handing, waiting
from tests.report_parts import HOSTILE
from tests.trace_samples import LOAN, Json, asked, assistant, chat, result, user

from agentcheck.report.canvas import clipped
from agentcheck.report.json import schema


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


def test_the_terminal_shows_the_summary_before_the_findings(here: Here, tmp_path: Path) -> None:
    done = here("trace", waiting(tmp_path), "--summary", "--isolated")
    heads = ["run 0 of", "▲ approval asked", "1 recorded run: ", "What these runs cannot prove"]
    places = [done.out.index(head) for head in heads]
    assert places == sorted(places)
    assert "awaiting_approval" in done.out
    assert "No findings" in done.out.splitlines()[-1]
    without = here("trace", waiting(tmp_path), "--isolated")
    assert "cannot prove" not in without.out


def test_lines_are_cut_to_the_width_of_the_terminal(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = [
        user("日本語のプロンプト" * 40),
        assistant("x" * 900, asked("t" * 300, {"q": "y" * 400})),
    ]
    done = here("trace", chat(tmp_path, wide), "--summary", "--isolated", "--exit-zero")
    steps = [line for line in done.out.splitlines() if line.strip()[:1] in tuple("○●■□▮")]
    assert len(steps) == 5
    assert max(map(cell_len, steps)) <= 100
    assert clipped("日本語", 4) == "日…"
    assert clipped("abc", 3) == "abc"


def hostile(tmp_path: Path) -> Path:
    def run(text: str) -> list[Json]:
        key = f"sk-proj-{'a1B2' * 8}"
        call = asked(text or "t", {"q": text, "to": "mia@shop.example"})
        said = assistant(f"mia@shop.example {key}", name=text or None)
        return [user(f"{text} mia@shop.example"), assistant(text, call), result(text), said]

    return chat(tmp_path, *map(run, HOSTILE))


@pytest.mark.parametrize("form", ["json", "html", "markdown", "full"])
def test_hostile_texts_are_shown_and_secrets_masked(here: Here, tmp_path: Path, form: str) -> None:
    given = ("--summary", "--output-format", form, "--isolated", "--exit-zero")
    done = here("trace", hostile(tmp_path), *given)
    assert done.code == 0
    assert "shop.example" not in done.out
    assert "a1B2a1B2" not in done.out
    assert not any(char in done.out for char in "\x00\x1b\x07\u202e\u2066\u200b")
    if form == "html":
        assert "<script>alert(1)" not in done.out
        assert "<img" not in done.out
        assert done.out.count('<article class="run ') == 10


def test_the_page_draws_a_lane_for_each_agent_without_scripts(here: Here, tmp_path: Path) -> None:
    page = here("trace", handing(tmp_path), "--output-format", "html", "--isolated").out
    assert '<h2 id="runs">What the recorded runs show</h2>' in page
    figure = page[page.index('<figure class="lanes"') : page.index("</figure>")]
    for name in ("user", "Desk", "Cards"):
        assert f">{name}</text>" in figure
    assert '<g class="handoff ok"><title>handoff Desk -&gt; Cards</title>' in figure
    assert "style=" not in figure
    assert "<script" not in figure


def test_json_and_markdown_hold_the_summary(here: Here, tmp_path: Path) -> None:
    path = handing(tmp_path)
    report = json.loads(here("trace", path, "--output-format", "json", "--isolated").out)
    jsonschema.validate(report, schema())
    seen_ = report["runs"]
    assert seen_["runs"] == 1
    assert [use["name"] for use in seen_["tools"]] == ["transfer_to_cards"]
    assert any("AC" in row["text"] for row in seen_["open"])
    text = here("trace", path, "--output-format", "markdown", "--isolated").out
    assert "## What the recorded runs show" in text
    assert "| transfer_to_cards | 1 | 1 |" in text


def test_statistics_can_stand_with_a_summary(here: Here, tmp_path: Path) -> None:
    done = here("trace", chat(tmp_path, LOAN), "--summary", "--statistics", "--isolated")
    assert "What these runs cannot prove" in done.out
