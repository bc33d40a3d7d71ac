"""Files of runs as they are found: torn, broken, empty, of another kind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.trace_samples import LOAN, Sdk, document, lines, only_run, said, split

from agentcheck.model.event import Message, ToolCall
from agentcheck.trace.read import read_runs

RUN = {"messages": LOAN}


def test_a_torn_last_line_is_named_and_the_runs_before_it_are_read(tmp_path: Path) -> None:
    path = lines(tmp_path / "runs.jsonl", [RUN, RUN])
    path.write_bytes(path.read_bytes()[:-40])
    runs, skipped = split(path)
    assert [run.index for run in runs] == [0]
    assert [(s.file, s.why) for s in skipped] == [
        ("runs.jsonl", "line 2: cut off in the middle; left out")
    ]


def test_broken_lines_cost_themselves_alone(tmp_path: Path) -> None:
    rows = [RUN, b"{not json}", RUN, b'{"messages": [{"role": "user", "content": "\xff"}]}', RUN]
    runs, skipped = split(lines(tmp_path / "runs.jsonl", rows))
    assert [run.index for run in runs] == [0, 2, 4]
    assert [s.why.partition(":")[0] for s in skipped] == ["line 2", "line 4"]
    assert "not UTF-8" in skipped[1].why


def test_a_broken_first_line_does_not_hide_the_format(tmp_path: Path) -> None:
    runs, skipped = split(lines(tmp_path / "runs.jsonl", [b'{"messages": [{"ro', RUN]))
    assert [run.index for run in runs] == [1]
    assert len(skipped) == 1


def test_records_of_another_shape_are_named(tmp_path: Path) -> None:
    runs, skipped = split(lines(tmp_path / "runs.jsonl", [RUN, {"version": 2}, [1, 2], "text"]))
    assert len(runs) == 1
    assert [s.why.partition(":")[0] for s in skipped] == ["line 2", "line 3", "line 4"]


def test_many_broken_lines_are_counted(tmp_path: Path) -> None:
    _, skipped = split(lines(tmp_path / "runs.jsonl", [RUN, *[b"{"] * 100]))
    assert len(skipped) == 21
    assert skipped[-1].why == "80 more lines could not be read"


def test_a_broken_message_of_a_run_one_a_line_makes_the_run_incomplete(tmp_path: Path) -> None:
    runs, skipped = split(lines(tmp_path / "run.jsonl", [*LOAN[:2], b"{", *LOAN[2:]]))
    assert [run.unknown_records for run in runs] == [1]
    assert len(skipped) == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty"),
        (b" \n\n ", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"PK\x03\x04\x00\x00\x00", "binary"),
        ("[]".encode("utf-16"), "not UTF-8"),
        (b"once upon a time\n", "no JSON"),
        (b'{\n  "messages": [\n    {"role": "user",\n', "cut off in the middle"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_a_trace_is_skipped_with_its_reason(
    tmp_path: Path, content: bytes, why: str
) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)
    runs, skipped = split(path)
    assert runs == []
    assert len(skipped) == 1
    assert why in skipped[0].why


def test_a_file_in_no_known_format_names_the_closest_and_why_it_is_not_that(
    tmp_path: Path,
) -> None:
    wrapped = {"type": "user", "message": {"role": "user", "content": "Hi"}}
    _, [skipped] = split(lines(tmp_path / "s.jsonl", [wrapped]))
    assert "closest is chat messages: messages are there, but wrapped in `message`" in skipped.why
    _, [logs] = split(lines(tmp_path / "l.jsonl", [{"resourceLogs": []}]))
    assert "closest is OTLP" in logs.why


def test_a_folder_and_a_missing_file_are_no_regular_files(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl"):
        _, [skipped] = split(path)
        assert skipped.why == "not a regular file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    path = lines(tmp_path / "runs.jsonl", [RUN])
    path.chmod(0)
    _, [skipped] = split(path)
    assert skipped.why == "cannot be read: Permission denied"


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = lines(tmp_path / "runs.jsonl", [RUN])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(only_run(path).all(ToolCall)) == 1


def test_what_python_writes_for_no_number_is_read(tmp_path: Path) -> None:
    run = b'{"reward": NaN, "messages": [{"role": "user", "content": "Hi"}]}'
    path = lines(tmp_path / "runs.jsonl", [run, run])
    runs, skipped = split(path)
    assert [len(r.all(Message)) for r in runs] == [1, 1]
    assert skipped == []


def test_a_text_that_was_cut_inside_an_emoji_is_read(tmp_path: Path) -> None:
    run = b'{"messages": [{"role": "user", "content": "Hi \\ud83d"}]}'
    assert only_run(lines(tmp_path / "runs.jsonl", [run])).all(Message)[0].text == "Hi ?"


def test_detection_goes_by_content_and_not_by_name(tmp_path: Path) -> None:
    sdk = Sdk()
    task, agent = sdk.opening()
    sdk.end(sdk.turn(agent, 1, said("Hello.")), agent, task)
    assert only_run(lines(tmp_path / "chat.txt", sdk.rows)).format == "OpenAI Agents SDK export"
    assert only_run(document(tmp_path / "otlp.log", LOAN)).format == "chat messages"


def test_steps_and_transcripts_are_read_as_what_they_are(tmp_path: Path) -> None:
    step = {"thought": "Look.", "action": "find dune --all", "observation": "2 copies"}
    steps = only_run(document(tmp_path / "s.json", {"trajectory": [step, step]}))
    assert [(c.name, c.source.record) for c in steps.all(ToolCall)] == [("find", 0), ("find", 1)]
    talk = [{"role": "Planner", "content": "Find it."}, {"role": "human", "content": "Thanks"}]
    spoken = only_run(document(tmp_path / "t.json", {"history": talk}))
    assert [(m.agent, m.role) for m in spoken.all(Message)] == [
        ("Planner", "assistant"),
        (None, "user"),
    ]
    assert spoken.known == {"content"}


def test_text_that_only_parsed_calls_is_not_read_as_a_run_without_calls(tmp_path: Path) -> None:
    history = [
        {"role": "user", "content": "Go"},
        {"role": "assistant", "action": "ls", "content": ""},
    ]
    runs, _ = split(document(tmp_path / "h.json", {"history": history}))
    assert all("results" not in run.known for run in runs)


def test_the_name_in_results_can_be_given(tmp_path: Path) -> None:
    path = lines(tmp_path / "runs.jsonl", [RUN, b"{"])
    found = list(read_runs(path, "night/runs.jsonl"))
    assert {item.file for item in found} == {"night/runs.jsonl"}
