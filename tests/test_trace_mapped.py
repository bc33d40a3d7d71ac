"""Logs of a user's own form, read by what he says of them in the configuration."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Done, Here
from tests.run_checks import answers
from tests.test_trace_every_format import damaged
from tests.trace_samples import Json, lines

from agentcheck.config import UsageError, load_settings
from agentcheck.model.event import (
    Approval,
    Compaction,
    Guardrail,
    Handoff,
    Message,
    ModelCall,
    Run,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)
from agentcheck.model.report import Skipped
from agentcheck.trace.read import read_runs
from agentcheck.trace.readers import NAMED
from agentcheck.trace.reading import Reading

DOC = (Path(__file__).parents[1] / "docs" / "traces.md").read_text("utf-8")
KEYS = """\
[trace.formats.deskbot]
run = "/session"
kind = "/ev"
time = "/at"
agent = "/who"
text = ["/data/say", "/data/heard"]
model = "/data/llm"
finish = "/data/why"
finish-reasons = { act = "tool_call", cap = "length", done = "stop" }
input-tokens = "/data/tok/0"
output-tokens = "/data/tok/1"
tool = "/data/fn"
arguments = "/data/with"
call-id = "/data/ref"
result = "/data/got"
error = "/data/ok"
error-values = [false]
duration = "/data/ms"
duration-unit = "milliseconds"
to-agent = "/data/to"
approval = "/data/verdict"
approvals = { "thumbs up" = "granted" }
guardrail = "/data/guard"
triggered = "/data/hit"
status = "/data/how"
"""
KINDS = """\
[trace.formats.deskbot.kinds]
heard = "user"
thought = "model-call"
asked = "tool-call"
came = "tool-result"
passed = "handoff"
signed = "approval"
screened = "guardrail"
shrunk = "compaction"
left = "end"
beat = "ignore"
"""
PLANNER = """\
[trace.formats.planner]
steps = "/trace"
run = "/id"
workflow = "/bot"
task = "/question"
answer = "/answer"
status = "/success"
text = "/thought"
tool = "/action/name"
arguments = "/action/input"
result = "/observation"
"""


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


def event(ev: str, session: str = "s", **data: Any) -> Json:
    return {"session": session, "ev": ev, "at": 1_770_000_000, "who": "desk", "data": data}


def thought(say: str = "", why: str = "act", **more: Any) -> Json:
    return event("thought", say=say, llm="gpt-4o", why=why, tok=[100, 10], **more)


def asked(fn: str, ref: str = "1", **given: Any) -> Json:
    data: Json = {"fn": fn, "ref": ref, "with": given}
    return event("asked", **data)


def came(got: str, ref: str = "1", **more: Any) -> Json:
    return event("came", ref=ref, got=got, ok=True, ms=40, **more)


def looked_up(ref: str, title: str = "Dune", got: str = "nothing") -> list[Json]:
    return [thought(), asked("find_book", ref, title=title), came(got, ref)]


def reading(folder: Path, text: str = KEYS + KINDS) -> Reading:
    (folder / "agentcheck.toml").write_text(text, "utf-8")
    return Reading(load_settings(folder).formats)


def found(path: Path, text: str = KEYS + KINDS) -> tuple[list[Run], list[str]]:
    """The runs of a file and why the rest of it could not be read."""
    told = list(read_runs(path, None, reading(path.parent, text)))
    why = [one.why for one in told if isinstance(one, Skipped)]
    return [one for one in told if isinstance(one, Run)], why


def only(path: Path, text: str = KEYS + KINDS) -> Run:
    runs, why = found(path, text)
    assert why == []
    [run] = runs
    return run


def audit(here: Here, path: Path, *more: str, text: str = KEYS + KINDS) -> Done:
    config = path.parent / "agentcheck.toml"
    config.write_text(text, "utf-8")
    return here("trace", path, "--config", config, "--output-format", "json", *more)


def rules(done: Done) -> dict[str, list[str]]:
    """The findings of a report by rule, with where the runs show each."""
    found = json.loads(done.out)["findings"]
    return {finding["rule"]: finding["trace"]["records"] for finding in found}


# What is read


def test_each_kind_of_record_becomes_its_event(tmp_path: Path) -> None:
    rows = [
        event("heard", heard="Cancel my card."),
        event("screened", guard="tone", hit=False),
        event("beat"),
        thought("I will."),
        asked("cancel_card", card=7),
        event("signed", ref="1", verdict="thumbs up"),
        came("cancelled"),
        event("shrunk"),
        event("passed", to="billing"),
        event("left", how="ok"),
    ]
    run = only(lines(tmp_path / "log.jsonl", rows))
    kinds = [type(one) for one in run.events]
    assert kinds == [
        *(RunStart, Message, Guardrail, ModelCall, Message, ToolCall, Approval, ToolResult),
        *(Compaction, Handoff, RunEnd),
    ]
    [reply], [call], [result] = run.all(ModelCall), run.all(ToolCall), run.all(ToolResult)
    assert (reply.response_model, reply.input_tokens, reply.output_tokens) == ("gpt-4o", 100, 10)
    assert (reply.finish_reason, reply.finish_raw, reply.agent) == ("tool_call", "act", "desk")
    assert (call.arguments, call.source.record) == ({"card": 7}, 4)
    assert (result.call_key, result.duration) == (call.call_key, 0.04)
    assert (result.is_error, result.ts) == (False, 1_770_000_000)
    [approval], [handoff], [end] = run.all(Approval), run.all(Handoff), run.all(RunEnd)
    assert (approval.call_key, approval.state) == (call.call_key, "granted")
    assert (handoff.from_agent, handoff.to_agent, end.status) == ("desk", "billing", "completed")
    assert not run.all(Guardrail)[0].triggered
    assert run.format == "deskbot"
    assert run.known == {
        *("content", "results", "errors", "approval", "handoffs", "usage", "finish", "time"),
    }


def test_runs_that_interleave_are_told_apart(tmp_path: Path) -> None:
    one, two = looked_up("1"), [row | {"session": "t"} for row in looked_up("1", "Emma", "shelf")]
    rows = [row for pair in zip(one, two, strict=True) for row in pair]
    runs, why = found(lines(tmp_path / "log.jsonl", rows))
    assert [run.id for run in runs] == ["s", "t"]
    assert [run.all(ToolCall)[0].arguments for run in runs] == [
        {"title": "Dune"},
        {"title": "Emma"},
    ]
    assert why == []


def test_one_list_of_events_is_read_as_well_and_without_an_id_is_one_run(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(looked_up("1"), indent=1), "utf-8")
    assert only(path, KEYS.replace('run = "/session"\n', "") + KINDS).id == "0"


def test_calls_listed_in_a_reply_are_one_batch(tmp_path: Path) -> None:
    text = KEYS.replace(
        'tool = "/data/fn"', 'calls = "/data/calls"\ntool = ["/data/fn", "/fn"]'
    ).replace('call-id = "/data/ref"', 'call-id = ["/data/ref", "/ref"]')
    both = [{"fn": "find_book", "ref": "1"}, {"fn": "find_reader", "ref": "2"}]
    started = [event("asked", fn="find_book", ref="1")]
    rows = [thought(calls=both), *started, came("no one", "2"), came("shelf 4", "1")]
    run = only(lines(tmp_path / "log.jsonl", rows), text + KINDS)
    book, reader = run.all(ToolCall)
    assert (book.batch, reader.batch, reader.source.pointer) == (0, 1, "/data/calls/1")
    assert run.answers[book.call_key].content == "shelf 4"
    assert run.answers[reader.call_key].content == "no one"


def test_without_ids_results_go_by_tool_and_then_by_order(tmp_path: Path) -> None:
    text = KEYS.replace('call-id = "/data/ref"\n', "") + KINDS
    rows = [
        *(thought(), asked("a"), asked("b"), came("of b", fn="b"), came("of a", fn="a")),
        *(thought(), asked("a"), asked("b"), came("first"), came("second")),
    ]
    run = only(lines(tmp_path / "log.jsonl", rows), text)
    told = [run.answers[call.call_key].content for call in run.all(ToolCall)]
    assert told == ["of a", "of b", "first", "second"]


def test_a_run_of_steps_has_its_task_calls_and_answer(tmp_path: Path) -> None:
    step = {"thought": "Look.", "action": {"name": "find", "input": {"t": 1}}, "observation": "x"}
    row = {"id": 7, "bot": "planner-2", "question": "Is Emma in?", "trace": [step, step]}
    row |= {"answer": "Yes.", "success": False}
    run = only(lines(tmp_path / "runs.jsonl", [row]), PLANNER)
    assert (run.id, run.name) == ("7", "planner-2")
    assert [m.text for m in run.all(Message)] == ["Is Emma in?", "Look.", "Look.", "Yes."]
    assert [call.source.record for call in run.all(ToolCall)] == [0, 1]
    assert len(run.answers) == len(run.all(ModelCall)) == 2
    [end] = run.all(RunEnd)
    assert (end.status, end.output, end.source.record) == ("error", "Yes.", "run")


# What the audit says of it


def test_planted_faults_are_found_at_their_records(here: Here, tmp_path: Path) -> None:
    rows = [event("heard", heard="Renew Dune.")]
    rows += [row for ref in "123" for row in looked_up(ref)]
    rows += [thought(), asked("renew", "9", book="Dune")]
    rows += [thought("mail me at ann@library.org, key sk-proj-Zk3abcdefgh12345678", why="cap")]
    done = audit(here, lines(tmp_path / "log.jsonl", rows))
    assert done.code == 1
    shown = rules(done)
    assert shown.keys() == {
        *("repeated-call", "unpaired-tool-call", "finish-reason-unchecked", "content-logged"),
    }
    assert shown["repeated-call"][0].endswith("log.jsonl#0/8")
    assert shown["unpaired-tool-call"][0].endswith("log.jsonl#0/11")
    assert shown["finish-reason-unchecked"][0].endswith("log.jsonl#0/12")
    assert "sk-proj" not in done.out
    assert "ann@library.org" not in done.out


def test_a_run_that_only_looks_like_them_is_left_alone(here: Here, tmp_path: Path) -> None:
    rows = [event("heard", heard="Find three books.")]
    titles = ("Dune", "Emma", "Ulysses")
    rows += [row for ref, title in enumerate(titles) for row in looked_up(str(ref), title)]
    rows += [thought("The key is on shelf 4, ask desk-17.", why="done"), event("left", how="ok")]
    done = audit(here, lines(tmp_path / "log.jsonl", rows))
    assert (done.code, rules(done)) == (0, {})


def test_what_is_not_mapped_is_not_judged(tmp_path: Path) -> None:
    rows = [row for ref in "1234" for row in looked_up(ref)]
    path = lines(tmp_path / "log.jsonl", rows)
    blind = only(path, KEYS.replace('arguments = "/data/with"\n', "") + KINDS)
    assert "content" not in blind.known
    assert {a.verdict for a in answers("repeated-call", blind)} == {"cannot-tell"}
    plain = KEYS.replace('result = "/data/got"\n', "").replace('error = "/data/ok"\n', "")
    deaf = only(path, plain + KINDS.replace('came = "tool-result"', 'came = "ignore"'))
    assert {a.verdict for a in answers("unpaired-tool-call", deaf)} == {"cannot-tell"}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (event("retry"), 'line 4: its kind "retry" is not among `kinds`'),
        ({"session": "s"}, "line 4: nothing stands at `kind` (/ev)"),
        (event("asked", ref="2"), "line 4: it is a tool-call, and nothing stands at `tool`"),
        (event("asked", fn=[]), "line 4: the tool of a tool-call has no name"),
        (event("signed", verdict="hm"), "line 4: what it says of an approval is not among"),
        ([1], "line 4: no object; left out"),
        (b"{", "line 4: cut off in the middle; left out"),
    ],
)
def test_a_record_that_is_not_explained_is_named_and_spoils_the_run(
    tmp_path: Path, row: Any, why: str
) -> None:
    runs, skipped = found(lines(tmp_path / "log.jsonl", [*looked_up("1"), row, thought()]))
    assert [one[: len(why)] for one in skipped] == [why]
    [run] = runs
    assert run.unknown_records == 1
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"cannot-tell"}


def test_own_formats_come_before_those_that_ship(tmp_path: Path) -> None:
    text = '[trace.formats.mine]\nkind = "/role"\ntext = "/content"\n'
    text += 'kinds = { user = "user", assistant = "assistant" }\n'
    rows = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    run = only(lines(tmp_path / "log.jsonl", rows), text)
    assert (run.format, len(run.all(ModelCall))) == ("mine", 0)
    rows = [{"role": "user", "content": "Hi."}, {"role": "tool", "content": "x"}]
    assert only(lines(tmp_path / "log.jsonl", rows), "").format == "chat messages"


def test_a_log_that_is_not_quite_the_mapping_is_told_why(tmp_path: Path) -> None:
    rows = [{"session": "s", "event": "heard"}]
    runs, [why] = found(lines(tmp_path / "log.jsonl", rows))
    assert runs == []
    assert "closest is audit log" in why
    assert "deskbot: nothing stands at `kind` (/ev)" in why
    runs, [why] = found(lines(tmp_path / "log.jsonl", [{"id": 1, "tracee": []}]), PLANNER)
    assert 'planner: no list stands at `steps` ("/trace")' in why
    assert "it has `tracee` where that has `trace`" in why


def stuck() -> list[tuple[str, list[Any]]]:
    """A run that looks a book up three times, as events and as steps."""
    step = {"thought": "Look.", "action": {"name": "find", "input": {"t": 1}}, "observation": "x"}
    events = [event("heard", heard="Find Dune."), *looked_up("1"), *looked_up("2"), *looked_up("3")]
    return [(KEYS + KINDS, events), (PLANNER, [{"id": 7, "trace": [step] * 3}])]


@pytest.mark.parametrize("number", [0, 1], ids=["events", "steps"])
def test_a_fault_whose_evidence_cannot_be_read_is_never_found_right(
    tmp_path: Path, number: int
) -> None:
    text, rows = stuck()[number]
    whole = only(lines(tmp_path / "log.jsonl", rows), text)
    assert any(answer.hit for answer in answers("repeated-call", whole))
    for what, spoilt in damaged(rows):
        runs, why = found(lines(tmp_path / "log.jsonl", spoilt), text)
        assert runs or why, what
        told = [answer for run in runs for answer in answers("repeated-call", run)]
        if not any(answer.hit for answer in told):
            assert {answer.verdict for answer in told} <= {"cannot-tell"}, what


# What is wrong with a mapping


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('kinds = {a = "user"}\ntexd = "/t"', 'deskbot.texd"; did you mean "text"?'),
        ('kind = "ev"', 'deskbot.kind: "ev" is no JSON pointer; did you mean "/ev"?'),
        ('kind = "$.data.ev"', '"$.data.ev" is no JSON pointer; did you mean "/data/ev"?'),
        ('kind = "/a~b"', "write ~0 for ~ and ~1 for / in a key"),
        ("kind = 3", 'deskbot.kind: expected a JSON pointer, such as "/data/text"'),
        ("kind = []", "or a list of them"),
        ('kind = "/ev"', "deskbot: `kind` needs `kinds` beside it"),
        ('kinds = { a = "user" }', "deskbot: `kinds` needs `kind` beside it"),
        ('kind = "/e"\nkinds = { a = "usr" }', '"a" cannot mean "usr"; did you mean "user"?'),
        ('kind = "/e"\nkinds = "user"', "deskbot.kinds: expected a table of the log's values"),
        ('kind = "/e"\nkinds = { a = "tool-call" }', '"a" means tool-call, which needs `tool`'),
        ('text = "/t"\nfinish-reasons = { x = "cut" }', '"x" cannot mean "cut"; known: content_'),
        ('text = "/t"\nduration-unit = "hours"', "deskbot.duration-unit: expected 'seconds'"),
        ('run = "/r"', "name at least `kind` and `kinds`, or `text` or `tool` of a step"),
    ],
)
def test_a_wrong_mapping_is_one_line(here: Here, tmp_path: Path, text: str, told: str) -> None:
    path = lines(tmp_path / "log.jsonl", looked_up("1"))
    done = audit(here, path, text=f"[trace.formats.deskbot]\n{text}\n")
    assert done.code == 2
    assert told in done.error
    assert "trace.formats.deskbot" in done.error


@pytest.mark.parametrize("name", ["chat", "chat messages", "otlp"])
def test_a_mapping_cannot_take_the_name_of_a_format_that_ships(tmp_path: Path, name: str) -> None:
    (tmp_path / "agentcheck.toml").write_text(f'[trace.formats."{name}"]\ntext = "/t"\n', "utf-8")
    with pytest.raises(UsageError, match=f'"{name}" is a format that ships; rename yours'):
        load_settings(tmp_path)


def test_the_settings_in_force_show_the_mapping_as_it_was_written(
    here: Here, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text("x = 1\n", "utf-8")
    config = tmp_path / "agentcheck.toml"
    config.write_text(PLANNER, "utf-8")
    shown = here("scan", tmp_path, "--config", config, "--show-settings").out
    assert '"planner" = { "steps" = "/trace", "run" = "/id"' in shown
    (tmp_path / "again.toml").write_text(shown, "utf-8")
    again = load_settings(tmp_path, config=tmp_path / "again.toml").formats
    assert again == load_settings(tmp_path).formats


# The format by name


def test_a_format_can_be_forced_by_name_or_title(here: Here, tmp_path: Path) -> None:
    rows = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    path = lines(tmp_path / "log.jsonl", rows)
    shown = here("trace", path, "--isolated", "--summary").out
    assert "1 recorded run: 1 chat messages" in shown
    for name in ("transcript", "Transcript of Agents"):
        shown = here("trace", path, "--isolated", "--summary", "--format", name).out
        assert "1 recorded run: 1 transcript of agents" in shown


def test_an_own_format_can_be_forced(here: Here, tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", [event("heard", heard="Hi."), *looked_up("1")])
    done = audit(here, path, "--format", "deskbot")
    assert done.code == 0
    assert json.loads(done.out)["target"]["runs"] == 1
    (tmp_path / "bot.py").write_text("x = 1\n", "utf-8")
    scanned = ("scan", tmp_path, "--trace", path, "--format", "deskbot", "--output-format", "json")
    assert json.loads(here(*scanned).out)["target"]["runs"] == 1


def test_a_name_of_no_format_is_one_line_with_the_nearest(here: Here, tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", looked_up("1"))
    done = audit(here, path, "--format", "deskbt")
    assert (done.code, done.error) == (
        2,
        '--format: no trace format is called "deskbt"; did you mean "deskbot"?',
    )
    done = here("trace", path, "--isolated", "--format", "zzz")
    assert done.code == 2
    assert all(name in done.error for name in NAMED)
    done = here("scan", tmp_path, "--isolated", "--format", "chat")
    assert (done.code, done.error) == (
        2,
        "--format names the format of recorded runs; name them with --trace",
    )


def test_a_forced_format_that_finds_no_run_says_why(here: Here, tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", looked_up("1"))
    done = here("trace", path, "--isolated", "--format", "otlp")
    assert done.code == 2
    assert "no recorded run could be read" in done.error


# The page


def test_the_page_s_logs_are_read_by_the_page_s_mappings(here: Here, tmp_path: Path) -> None:
    section = DOC[DOC.index("## Logs of your own") : DOC.index("## Settings")]
    config = "\n".join(re.findall(r"```toml\n(.*?)```", section, re.DOTALL))
    desk, planner = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    for name, text in (("desk.jsonl", desk), ("planner.jsonl", planner)):
        (tmp_path / name).write_text(text, "utf-8")
    done = audit(here, tmp_path / "desk.jsonl", text=config)
    assert rules(done).keys() == {"unpaired-tool-call", "finish-reason-unchecked"}
    [run] = (one for one in read_runs(tmp_path / "planner.jsonl", None, reading(tmp_path, config)))
    assert isinstance(run, Run)
    assert (run.format, len(run.answers)) == ("planner", 1)


def test_the_page_names_every_format_as_the_command_does() -> None:
    table = DOC[: DOC.index("## Logs of your own")]
    assert all(f"`{name}`" in table for name in NAMED)


def test_the_page_explains_every_kind_of_record() -> None:
    from agentcheck.trace.mapped.mapping import KINDS as WORDS

    section = DOC[DOC.index("## Logs of your own") : DOC.index("## Settings")]
    assert all(f"`{word}`" in section for word in WORDS)
