"""Logs of inspect_ai: documents, and archives of the same."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.run_checks import answers
from tests.trace_samples import Json, document, lines, only, only_run, runs_of, split

from agentcheck.model.event import Approval, Message, ModelCall, RunEnd, ToolCall, ToolResult
from agentcheck.trace import archive


def message(role: str, content: Any = "", **more: Any) -> Json:
    return {"role": role, "content": content, **more}


def call(name: str, call_id: str = "c1", **more: Any) -> Json:
    return {"id": call_id, "function": name, "arguments": {"book": "Dune"}, **more}


def model(message_id: str, stop: str, second: int = 1, **more: Any) -> Json:
    usage = {"input_tokens": 30, "output_tokens": 3, "input_tokens_cache_read": 8}
    choice = {"message": {"id": message_id, "role": "assistant"}, "stop_reason": stop}
    output = {"model": "m", "choices": [choice], "usage": usage, "time": 0.5}
    stamp = f"2026-03-01T10:00:{second:02d}Z"
    return {"event": "model", "timestamp": stamp, "output": output, "tools": []} | more


SCHEMA = {"type": "object", "properties": {"book": {"type": "string"}}, "required": ["book"]}


def sample(number: int = 1, epoch: int = 1, **more: Any) -> Json:
    messages = [
        message("user", "Renew Dune"),
        message("assistant", id="a1", tool_calls=[call("renew")]),
        message("tool", "renewed", tool_call_id="c1", function="renew"),
        message("assistant", "Done.", id="a2"),
    ]
    tools = [{"name": "renew", "parameters": SCHEMA}]
    events = [model("a1", "tool_calls", tools=tools), model("a2", "stop")]
    told = {"id": number, "epoch": epoch, "input": "Renew Dune", "messages": messages}
    return told | {"output": events[1]["output"], "events": events} | more


def log(*samples: Json) -> Json:
    return {"version": 2, "status": "success", "eval": {"task": "desk"}, "samples": [*samples]}


def zipped(path: Path, entries: list[tuple[str, bytes]], how: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", how) as file:
        for name, content in entries:
            file.writestr(name, content)
    return path


def eval_log(path: Path, *samples: Json) -> Path:
    head = {"version": 2, "status": "success", "eval": {"task": "desk"}}
    entries = [
        (f"samples/{s['id']}_epoch_{s['epoch']}.json", json.dumps(s).encode()) for s in samples
    ]
    return zipped(path, [*entries, ("header.json", json.dumps(head).encode())])


def test_samples_are_runs_with_reasons_usage_and_schema(tmp_path: Path) -> None:
    run, other = runs_of(document(tmp_path / "l.json", log(sample(), sample(2))))
    first, second = run.all(ModelCall)
    assert (first.finish_reason, second.finish_reason) == ("tool_call", "stop")
    assert (first.input_tokens, first.cache_read, first.response_model) == (30, 8, "m")
    assert (run.id, other.id, run.name) == ("1/1", "2/1", "desk")
    assert [c.source.record for c in run.all(ToolCall)] == [1]
    assert {"finish", "usage", "time", "schema", "errors"} <= run.known
    assert {a.verdict for a in answers("tool-args-off-schema", run)} == {"met"}


def test_only_a_result_with_an_error_failed(tmp_path: Path) -> None:
    bad = sample()
    bad["messages"][2] |= {"content": "", "error": {"type": "timeout", "message": "too slow"}}
    good, failed = runs_of(document(tmp_path / "l.json", log(sample(), bad)))
    assert only(good, ToolResult).is_error is False
    assert (only(failed, ToolResult).is_error, only(failed, ToolResult).content) == (
        True,
        "too slow",
    )


def test_arguments_that_could_not_be_parsed_are_none(tmp_path: Path) -> None:
    bad = sample()
    bad["messages"][1]["tool_calls"] = [call("renew", parse_error="no JSON")]
    run = only_run(document(tmp_path / "l.json", log(bad)))
    assert (only(run, ToolCall).arguments, only(run, ToolCall).parse_error) == (None, "no JSON")


def test_limits_errors_and_scores_are_told_at_the_end(tmp_path: Path) -> None:
    scores = {"match": {"value": "C"}}
    limited = sample(limit={"type": "message", "limit": 4}, scores=scores)
    broken = sample(2, error={"message": "boom"})
    runs = runs_of(document(tmp_path / "l.json", log(limited, broken)))
    assert [only(run, RunEnd).status for run in runs] == ["max_turns", "error"]
    assert only(runs[0], RunEnd).labels == {"score:match": "C", "limit": "message"}


def test_references_to_attachments_are_resolved(tmp_path: Path) -> None:
    long = sample(attachments={"h1": "a very long text"})
    long["messages"][0]["content"] = "attachment://h1"
    run = only_run(document(tmp_path / "l.json", log(long)))
    assert run.all(Message)[0].text == "a very long text"


def test_replies_that_are_in_no_message_leave_no_clean_verdict(tmp_path: Path) -> None:
    scorer = [
        {"event": "span_begin", "id": "s1", "type": "scorer"},
        model("g1", "stop", span_id="s1"),
    ]
    graded, nested = sample(), sample(2)
    graded["events"] += scorer
    nested["events"] += [model("b1", "stop")]
    first, second = runs_of(document(tmp_path / "l.json", log(graded, nested)))
    assert (first.unknown_records, second.unknown_records) == (0, 1)


def test_approvers_decide_about_calls(tmp_path: Path) -> None:
    decided = {"event": "approval", "call": call("renew"), "approver": "human"}
    runs = [sample(), sample(2)]
    for each, decision in zip(runs, ("approve", "reject"), strict=True):
        each["events"].append(decided | {"decision": decision})
    found = runs_of(document(tmp_path / "l.json", log(*runs)))
    assert [only(run, Approval).state for run in found] == ["granted", "denied"]
    assert only(found[0], Approval).by == "human"
    assert "approval" in found[0].known


def test_a_reply_without_its_event_leaves_the_reasons_unknown(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "l.json", log(sample(events=[]))))
    assert [c.finish_reason for c in run.all(ModelCall)] == [None, "stop"]
    assert "finish" not in run.known


def test_an_eval_file_reads_like_the_document(tmp_path: Path) -> None:
    path = eval_log(tmp_path / "l.eval", sample(10), sample(9), sample(9, epoch=2))
    runs = runs_of(path)
    assert [run.id for run in runs] == ["9/1", "10/1", "9/2"]
    assert [run.index for run in runs] == [0, 1, 2]
    assert {run.name for run in runs} == {"desk"}
    assert len(runs[0].all(ToolCall)) == 1


def test_samples_alone_are_read_line_by_line(tmp_path: Path) -> None:
    path = lines(tmp_path / "s.jsonl", [sample(), sample(2)])
    path.write_bytes(path.read_bytes()[:-9])
    runs, skipped = split(path)
    assert len(runs) == 1
    assert "line 2: cut off" in skipped[0].why


def test_a_damaged_entry_costs_itself_alone(tmp_path: Path) -> None:
    path = eval_log(tmp_path / "l.eval", sample(1), sample(2))
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as file:
        info = file.getinfo("samples/1_epoch_1.json")
    at = info.header_offset + 30 + len(info.filename) + 40
    content[at : at + 8] = b"\xff" * 8
    path.write_bytes(bytes(content))
    runs, [skipped] = split(path)
    assert [run.id for run in runs] == ["2/1"]
    assert "samples/1_epoch_1.json cannot be unpacked" in skipped.why


def test_an_entry_that_unpacks_to_too_much_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "ENTRY", 1 << 20)
    big = (f"samples/{2}_epoch_1.json", b" " * (3 << 20))
    small = ("samples/1_epoch_1.json", json.dumps(sample()).encode())
    runs, [skipped] = split(zipped(tmp_path / "l.eval", [small, big]))
    assert len(runs) == 1
    assert skipped.why == "entry 2: samples/2_epoch_1.json unpacks to more than 1 MB; left out"


def test_entries_packed_with_zstandard_are_read(tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "l.eval",
        [("samples/1_epoch_1.json", zstandard.compress(json.dumps(sample()).encode()))],
        zipfile.ZIP_STORED,
    )
    content = bytearray(path.read_bytes())
    content[8:10] = (93).to_bytes(2, "little")  # the method, in the entry's own header
    directory = content.index(b"PK\x01\x02")
    content[directory + 10 : directory + 12] = (93).to_bytes(2, "little")
    path.write_bytes(bytes(content))
    assert only_run(path).id == "1/1"


@pytest.mark.parametrize("cut", [4, 60, -10])
def test_a_torn_archive_says_so(tmp_path: Path, cut: int) -> None:
    path = eval_log(tmp_path / "l.eval", sample())
    path.write_bytes(path.read_bytes()[:cut])
    runs, [skipped] = split(path)
    assert runs == []
    assert "zip archive that cannot be read" in skipped.why


def test_archives_of_something_else_and_logs_without_samples_say_so(tmp_path: Path) -> None:
    _, [other] = split(zipped(tmp_path / "o.zip", [("a.txt", b"x")]))
    assert "without samples" in other.why
    _, [empty] = split(document(tmp_path / "l.json", log()))
    assert empty.why == "a log of inspect_ai that holds no sample"
