"""Files that are no recorded runs: each says why, and none passes for a run without findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Here
from tests.run_checks import CHECKS
from tests.trace_samples import Json, assistant, lines, split, user

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.rule import TraceSettings
from agentcheck.trace.read import read_runs
from agentcheck.trace.readers import NAMED
from agentcheck.trace.reading import Reading

PACKAGE = {"name": "shop", "version": "1.0.0", "scripts": {"test": "jest"}, "dependencies": {}}
METRICS = [{"ts": n, "metric": "loss", "value": 0.1, "step": n} for n in range(3)]
SESSION = {"type": "assistant", "uuid": "a", "sessionId": "s", "mesage": {"role": "assistant"}}
CHAT = {"messages": [{"rolle": "user", "content": "Hi."}, {"rolle": "assistant", "content": "Yo"}]}
SPAN = {"object": "trace.span", "id": "s", "trace_id": "t", "span": {"type": "generation"}}
HTTP = {"traceId": "aa", "spanId": "bb", "name": "GET /", "attributes": []}
ODD: dict[str, tuple[bytes | list[Any], str]] = {
    "a table": (b"name,age\nann,3\n", 'no JSON: line 1 begins "name,age"'),
    "a page": (
        b"<!doctype html><html></html>\n",
        'no JSON: line 1 begins "<!doctype html><html></html>"',
    ),
    "settings": (b"a: 1\nb:\n  - c\n", 'no JSON: line 1 begins "a: 1"'),
    "a log of text": (b"\x1b[1mINFO\x1b[0m ready\n", "no JSON: line 1 begins"),
    "nothing": (b"", "empty"),
    "blanks": (b"\n \n", "empty"),
    "a program": (b"\x7fELF\0\0", "binary, or text that is not UTF-8"),
    "half a record": (b'{"messages": [{"role": "us', "no JSON: line 1 is cut off in the middle"),
    "an empty list": (b"[]", "an empty JSON list"),
    "a number": (b"42", "it holds no JSON objects"),
    "lists of numbers": (b"[[1, 2], [3]]", "it holds no JSON objects"),
    "an empty object": (b"{}", "it holds an empty object"),
    "a package": ([PACKAGE], "its keys: `name`, `version`, `scripts`, `dependencies`"),
    "metrics": (METRICS, "its keys: `ts`, `metric`, `value`, `step`"),
    "a chat without messages": (
        [{"messages": []}],
        "closest is chat messages: `messages` holds no",
    ),
    "a chat with a key renamed": (
        [CHAT],
        "`messages` have no `role` (it has `rolle` where that has `role`)",
    ),
    "a session with a key renamed": (
        [SESSION],
        "type 'assistant' without `message` (it has `mesage` where that has `message`)",
    ),
    "another bus's events": (
        [{"event": "user_login", "ts": 1}],
        "closest is audit log: no event of a hook bus has the name 'user_login'",
    ),
    "a span without its data": (
        [SPAN],
        "read as OpenAI Agents SDK export: nothing that happened in a run could be read",
    ),
    "spans of a web server": (
        [{"resourceSpans": [{"scopeSpans": [{"spans": [HTTP]}]}]}],
        "OTLP traces without any gen_ai attributes: no agent runs",
    ),
}


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


def odd(folder: Path, name: str) -> tuple[Path, str]:
    """A file, and a part of what is said of it."""
    content, why = ODD[name]
    path = folder / "odd.jsonl"
    if isinstance(content, bytes):
        path.write_bytes(content)
        return path, why
    return lines(path, content), why


@pytest.mark.parametrize("name", ODD)
def test_a_file_that_is_no_recorded_run_says_why(here: Here, tmp_path: Path, name: str) -> None:
    path, why = odd(tmp_path, name)
    done = here("trace", path, "--isolated")
    assert done.code == 2
    assert why in done.error
    assert "no recorded run could be read" in done.error
    assert done.error.isprintable()


@pytest.mark.parametrize("name", ["a package", "a chat with a key renamed"])
def test_an_unknown_log_says_how_to_map_it(here: Here, tmp_path: Path, name: str) -> None:
    done = here("trace", odd(tmp_path, name)[0], "--isolated")
    assert "[trace.formats]" in done.error


@pytest.mark.parametrize("form", NAMED)
@pytest.mark.parametrize("name", ODD)
def test_no_reader_that_is_forced_is_silent_or_content(
    tmp_path: Path, name: str, form: str
) -> None:
    found = list(read_runs(odd(tmp_path, name)[0], None, Reading(only=form)))
    assert found
    assert all(one.why for one in found if isinstance(one, Skipped))
    for run in (one for one in found if isinstance(one, Run)):
        for topic, check in CHECKS.items():
            assert "met" not in {answer.verdict for answer in check(run, TraceSettings())}, topic


def test_a_run_of_which_nothing_is_told_is_named_beside_those_that_are_read(
    tmp_path: Path,
) -> None:
    spans = [{"object": "trace", "id": name, "workflow_name": "desk"} for name in ("t1", "t2")]
    row: Json = {"object": "trace.span", "id": "s", "trace_id": "t1", "started_at": None}
    row |= {"span_data": {"type": "function", "name": "look_up", "input": "{}", "output": "x"}}
    runs, [skipped] = split(lines(tmp_path / "runs.jsonl", [*spans, row]))
    assert [run.id for run in runs] == ["t1"]
    assert "nothing that happened in a run could be read" in skipped.why


def test_a_report_without_findings_counts_what_cannot_be_told(here: Here, tmp_path: Path) -> None:
    path = lines(tmp_path / "runs.jsonl", [user("Hi."), assistant("Hello.")])
    last = here("trace", path, "--isolated").out.splitlines()[-1]
    told = here("trace", path, "--isolated", "--output-format", "json").out
    answers = [one["verdict"] for one in json.loads(told)["assessments"]]
    blind = answers.count("cannot-tell")
    assert 0 < blind < len(answers)
    assert last.startswith("No findings: ")
    assert last.endswith(f"; {blind} of {len(answers)} answers cannot be told (--summary says why)")
