"""Spans under other names than OpenTelemetry's own: OpenInference, OpenLLMetry, services' rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.export_samples import langfuse_rows, langsmith_rows
from tests.export_spans import (
    ASK,
    CANCEL,
    SORRY,
    attribute_span,
    openinference_attributes,
    otlp_of,
    span_rows,
    traceloop_attributes,
)
from tests.run_checks import answers
from tests.trace_samples import Json, document, lines, only, only_run, otlp, runs_of, split

from agentcheck.model.event import Approval, Message, ModelCall, RunEnd, RunStart, ToolCall

DIALECTS = pytest.mark.parametrize("attributes", [openinference_attributes, traceloop_attributes])


def test_costs_caches_agents_and_places_of_openinference(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "t.json", otlp_of(openinference_attributes())))
    first = run.all(ModelCall)[0]
    assert (first.cost, first.cache_read, first.response_model) == (0.25, 3, "model-a")
    assert (first.agent, first.loop, run.id) == ("Desk", "desk", "s1")
    place = run.all(ToolCall)[1].source
    assert (place.record, place.pointer) == (
        "m1",
        "/attributes/llm.output_messages/0/message/tool_calls/1/tool_call",
    )


def test_schemas_are_read_and_calls_judged_by_them(tmp_path: Path) -> None:
    for attributes in (openinference_attributes(), traceloop_attributes()):
        run = only_run(document(tmp_path / "t.json", otlp_of(attributes)))
        assert only(run, RunStart).tools["cancel_card"]["required"] == ["card"]
        assert "schema" in run.known


def test_the_bare_input_of_a_tool_is_not_taken_for_the_models_arguments(tmp_path: Path) -> None:
    attributes = openinference_attributes()
    attributes["m1"] = {
        k: v for k, v in attributes["m1"].items() if "output_messages" not in k
    }  # so that no reply names the calls
    attributes["x2"]["input.value"] = "7"
    run = only_run(document(tmp_path / "t.json", otlp_of(attributes)))
    assert [c.arguments for c in run.all(ToolCall)] == [{"input": "Ada"}, {"input": "7"}]
    for topic in ("tool-args-off-schema", "tool-args-unguarded"):
        assert not [a for a in answers(topic, run) if a.hit]


def test_flattened_lists_keep_their_order_past_nine(tmp_path: Path) -> None:
    given = {f"gen_ai.prompt.{n}.content": f"word {n}" for n in range(12)}
    roles = {f"gen_ai.prompt.{n}.role": "user" for n in range(12)}
    span = attribute_span("m", 1, None, {"gen_ai.request.model": "a", **given, **roles})
    run = only_run(document(tmp_path / "t.json", otlp(span)))
    assert [m.text for m in run.all(Message)] == [f"word {n}" for n in range(12)]


@pytest.mark.parametrize("value", ['[{"role": "user", "content": "My card is lost."}]', ASK])
def test_the_oldest_names_hold_json_or_text(tmp_path: Path, value: str) -> None:
    held = {"gen_ai.system": "openai", "gen_ai.request.model": "a"}
    attributes = {"gen_ai.prompt": value, "gen_ai.completion": SORRY} | held
    run = only_run(document(tmp_path / "t.json", otlp(attribute_span("m", 1, None, attributes))))
    assert [(m.role, m.text) for m in run.all(Message)] == [("user", ASK), ("assistant", SORRY)]
    assert only(run, ModelCall).provider == "openai"


def test_messages_in_events_of_the_span_are_read(tmp_path: Path) -> None:
    call = {"id": "c1", "function": {"name": "cancel_card", "arguments": json.dumps(CANCEL)}}
    events = {
        "gen_ai.user.message": {"content": ASK},
        "gen_ai.choice": {
            "finish_reason": "tool_calls",
            "message": json.dumps({"role": "assistant", "tool_calls": [call]}),
        },
    }
    span = attribute_span("m", 1, None, {"gen_ai.request.model": "a"})
    span["events"] = [
        {"name": n, "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in e.items()]}
        for n, e in events.items()
    ]
    run = only_run(document(tmp_path / "t.json", otlp(span)))
    assert only(run, Message).text == ASK
    assert only(run, ToolCall).arguments == CANCEL
    assert only(run, ModelCall).finish_reason == "tool_call"


@DIALECTS
def test_a_graph_that_asks_a_person_waits_for_an_approval(
    tmp_path: Path, attributes: object
) -> None:
    rows = otlp_of(attributes())  # type: ignore[operator]
    [spans] = [s["spans"] for r in rows["resourceSpans"] for s in r["scopeSpans"]]
    waiting = [span for span in spans if span["spanId"] in ("desk", "m1", "x2")]
    waiting[1]["events"] = [
        {
            "name": "exception",
            "attributes": [
                {
                    "key": "exception.type",
                    "value": {"stringValue": "langgraph.errors.GraphInterrupt"},
                }
            ],
        }
    ]
    run = only_run(document(tmp_path / "t.json", otlp(*waiting)))
    call = run.all(ToolCall)[1]
    assert (only(run, Approval).state, only(run, Approval).call_key) == ("requested", call.call_key)
    assert only(run, RunEnd).status == "interrupted"
    assert "approval" in run.known


def test_a_request_that_two_instrumentations_tell_of_counts_once(tmp_path: Path) -> None:
    rows = otlp_of(openinference_attributes())
    inner = attribute_span("m1i", 2, "m1", openinference_attributes()["m1"])
    rows["resourceSpans"][0]["scopeSpans"][0]["spans"].append(inner)
    run = only_run(document(tmp_path / "t.json", rows))
    assert len(run.all(ModelCall)) == 2
    assert len(run.all(ToolCall)) == 2


def test_an_agents_span_for_each_step_is_one_loop(tmp_path: Path) -> None:
    kind = "openinference.span.kind"
    spans = [attribute_span("top", 0, None, {kind: "CHAIN"})]
    for n in range(1, 31):
        step = attribute_span(f"a{n}", n, "top", {kind: "AGENT"}) | {"name": "agent"}
        spans += [step, attribute_span(f"m{n}", n, f"a{n}", {kind: "LLM"})]
    run = only_run(document(tmp_path / "t.json", otlp(*spans)))
    assert [a.verdict for a in answers("unbounded-loop", run)] == ["not-met"]


def nested(attributes: Json) -> Json:
    """Attributes as Phoenix nests them: a list of messages, objects for dotted names."""
    found: Json = {}
    for name, value in attributes.items():
        inner = found
        *path, last = name.split(".")
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return found


def test_rows_with_nested_attributes_or_columns_read_like_flat_ones(tmp_path: Path) -> None:
    flat = only_run(lines(tmp_path / "flat.jsonl", span_rows()))
    deep = [row | {"attributes": nested(row["attributes"])} for row in span_rows()]
    columns = [
        {
            "name": row["name"],
            "span_kind": row["attributes"]["openinference.span.kind"],
            "parent_id": row["parent_id"],
            "context.trace_id": "0xt1",
            "context.span_id": row["context"]["span_id"],
            "start_time": 1772359200000 + n,
            "status_code": row["status"]["status_code"],
            **{f"attributes.{k}": v for k, v in row["attributes"].items()},
        }
        for n, row in enumerate(span_rows())
    ]
    for rows in (deep, columns, [{"data": span_rows()}]):
        run = only_run(lines(tmp_path / "rows.jsonl", rows))
        assert [type(e) for e in run.events] == [type(e) for e in flat.events]
        assert len(run.all(ToolCall)) == 2


@pytest.mark.parametrize("snake", [False, True])
def test_langfuse_reads_pages_traces_and_both_ways_of_naming(tmp_path: Path, snake: bool) -> None:
    rows = langfuse_rows(snake=snake)
    bare = [{k: v for k, v in row.items() if k not in ("traceId", "trace_id")} for row in rows]
    shapes = [rows, [{"data": rows, "meta": {}}], [{"id": "t1", "observations": bare}]]
    for shape in shapes:
        run = only_run(lines(tmp_path / "o.jsonl", shape))
        first = run.all(ModelCall)[0]
        assert (run.id, first.cost, first.cache_read, first.agent) == ("t1", 0.25, 3, "Desk")
        assert run.all(ToolCall)[1].source.pointer == "/output/tool_calls/1"
        assert not {"finish", "approval", "handoffs"} & run.known


def test_langfuse_inputs_may_be_json_in_text(tmp_path: Path) -> None:
    rows = [
        row | {key: json.dumps(row[key]) for key in ("input", "output") if key in row}
        for row in langfuse_rows()
    ]
    run = only_run(lines(tmp_path / "o.jsonl", rows))
    assert [m.text for m in run.all(Message)] == [ASK, SORRY]
    assert len(run.all(ToolCall)) == 2


def test_langsmith_reads_nested_runs_costs_and_places(tmp_path: Path) -> None:
    rows = {row["id"]: dict(row) for row in langsmith_rows()}
    top = rows.pop("desk") | {"child_runs": list(rows.values())}
    for shape in (langsmith_rows(), [top], [{"runs": langsmith_rows()}]):
        run = only_run(lines(tmp_path / "r.jsonl", shape))
        assert (run.id, run.name, run.all(ModelCall)[0].cost) == ("desk", "Desk", 0.25)
        assert run.all(ToolCall)[0].source.pointer == (
            "/outputs/generations/0/0/message/kwargs/tool_calls/0"
        )


def test_langsmith_tells_an_interrupt_from_an_error(tmp_path: Path) -> None:
    rows = langsmith_rows()
    rows[1]["error"] = "GraphInterrupt((Interrupt(value={'card': 7}, id='i1'),))"
    run = only_run(lines(tmp_path / "r.jsonl", rows[1:]))
    assert [a.state for a in run.all(Approval)] == ["requested"]
    assert only(run, RunEnd).status == "interrupted"
    rows[1]["error"] = "ParentCommand(Command(goto='cards'))"
    run = only_run(lines(tmp_path / "r.jsonl", rows))
    assert not [r for r in run.all(ToolCall) if run.answers[r.call_key].is_error]


def test_two_traces_are_two_runs(tmp_path: Path) -> None:
    other = [row | {"traceId": "t2"} for row in langfuse_rows()]
    mixed = [row for pair in zip(langfuse_rows(), other, strict=True) for row in pair]
    assert [run.id for run in runs_of(lines(tmp_path / "o.jsonl", mixed))] == ["t1", "t2"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"id": "t", "observations": ["o1", "o2"]}, "the ids of its observations alone"),
        ({"dotted_order": "x", "inputs": {}}, "a run without `run_type`"),
        ({"run_type": "llm", "name": "x"}, "a run without its id"),
        ({"context": {"span_id": "s"}, "attributes": {}}, "without the id of its trace"),
        ({"type": "GENERATION", "id": "g"}, "without the id of their trace"),
    ],
)
def test_what_comes_near_is_told_what_it_lacks(tmp_path: Path, row: Json, why: str) -> None:
    runs, skipped = split(lines(tmp_path / "r.jsonl", [row]))
    assert runs == []
    assert why in skipped[0].why


def test_traces_without_calls_of_a_model_or_tool_are_no_runs(tmp_path: Path) -> None:
    runs, skipped = split(lines(tmp_path / "r.jsonl", [langsmith_rows()[-1]]))
    assert runs == []
    assert "without a call of a model or a tool" in skipped[0].why


@pytest.mark.parametrize("spans", [[], [{"spanId": "a", "attributes": []}]])
def test_otlp_without_spans_of_a_trace_says_so(tmp_path: Path, spans: list[Json]) -> None:
    runs, [skipped] = split(lines(tmp_path / "t.jsonl", [otlp(*spans)]))
    assert runs == []
    assert "without spans that name their trace" in skipped.why


def test_a_span_without_its_trace_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    rows = [*langfuse_rows(), {"type": "TOOL", "id": "lost"}]
    runs, skipped = split(lines(tmp_path / "o.jsonl", rows))
    assert len(runs) == 1
    assert "without the id of its trace" in skipped[0].why


def test_parts_of_a_trace_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    odd = [{"id": "o", "type": "DREAM"}, 7, {"id": "p"}]
    whole = {"id": "t1", "observations": [*langfuse_rows(), *odd]}
    assert only_run(lines(tmp_path / "o.jsonl", [whole])).unknown_records == 3
    rows = langsmith_rows()
    rows[-1]["child_runs"] = [7, {"id": "r"}, {"id": "s", "run_type": "dream"}]
    assert only_run(lines(tmp_path / "r.jsonl", rows)).unknown_records == 3
