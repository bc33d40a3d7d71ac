"""What a redactor takes out of recorded runs, and the copy in which it is done."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcheck.model.errors import UsageError
from agentcheck.model.event import Run, ToolCall
from agentcheck.model.whatif import Answer, Figure
from agentcheck.trace.mask import find_all
from agentcheck.trace.read import read_runs
from agentcheck.whatif.redaction.answer import Redaction
from agentcheck.whatif.redaction.redactor import Redactor, found_in, stand_in
from agentcheck.whatif.redaction.text import redacted
from agentcheck.whatif.redaction.write import write_redacted

KEY = "sk-" + "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8"


def out_of(text: str, label: str = "") -> str:
    return Redactor().text(text, label)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("ida.berg@reader.example", "email"),
        ("ida.berg%40reader.example", "email"),
        ("-ida@reader.example", "email"),
        (KEY, "key"),
        ("4012 8888 8888 1881", "card"),
        ("4012888888881881", "card"),
        ("GB29NWBK60161331926819", "iban"),
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("+49 30 901820", "phone"),
        ("(415) 555-0132", "phone"),
        ("078-05-1120", "social-security"),
        ("12345678Z", "national-id"),
        ("RSSMRA85T10A562S", "national-id"),
        ("2 95 10 99 126 111 93", "national-id"),
        ("111.444.777-35", "national-id"),
        ("880320-0016", "national-id"),
        ("10.20.30.40", "ip-address"),
        ("2001:db8::7", "ip-address"),
        ("fe80::1", "ip-address"),
        ("00:1a:2b:3c:4d:5e", "mac-address"),
        ("0011.22ab.33cd", "mac-address"),
    ],
)
def test_what_is_personal_or_secret_gives_way_to_a_placeholder(value: str, kind: str) -> None:
    assert out_of(f"it is {value}, then") == f"it is <{kind}-1>, then"


@pytest.mark.parametrize(
    "text",
    [
        "order 4111222233334445 of 2026-03-01T10:00:00+00:00, sent 1767225600000",
        "order 12345678A, parcel 880320-0017, lot 111222333",
        "opencv==4.10.0.84, version 1.20.30.40, v10.0.2.1, Chrome/120.0.0.0, chapter 1.2.3.4",
        "127.0.0.1, 0.0.0.0, 255.255.255.0, a[2000::2], std::vector, dead::beef, 12:34:56",
        "00:00:00:00:00:00 and aa:bb:cc:dd:ee:ff:00",
        "lodash@4.17.21, @app.route, price @ 2.50",
        "reset your password: https://shop.example/reset",
        "flight 1234567, 300 dollars, 12 May 2026",
    ],
)
def test_order_numbers_times_versions_and_their_like_stay(text: str) -> None:
    assert out_of(text) == text


def test_a_number_of_a_person_without_a_form_of_its_own_needs_its_name() -> None:
    assert out_of("BSN: 111222333") == "BSN: <national-id-1>"
    assert out_of("111222333", "bsn") == "<national-id-1>"
    assert out_of("lot: 111222333") == "lot: 111222333"


def test_one_value_has_one_placeholder_however_it_is_written() -> None:
    redactor = Redactor()
    said = redactor.text("Ida@reader.example, 4012-8888-8888-1881, bo@reader.example")
    again = redactor.text("4012 8888 8888 1881 of ida@reader.example")
    assert said == "<email-1>, <card-1>, <email-2>"
    assert again == "<card-1> of <email-1>"
    assert redactor.distinct() == {"email": 2, "card": 1}
    assert redactor.taken == {"email": 3, "card": 2}


def test_the_kind_that_says_most_takes_a_stretch_that_is_several() -> None:
    assert out_of("https://ida:pass-word1@shop.example/x") == "https://<password-1>/x"
    assert out_of("nhs number: 943 476 5919") == "nhs number: <national-id-1>"
    assert out_of(f"Authorization: Bearer {KEY}") == "Authorization: Bearer <key-1>"


def test_what_is_redacted_already_stays_as_it_is() -> None:
    once = out_of("to ida@reader.example and bo@reader.example")
    assert out_of(once) == once
    mixed = Redactor()
    assert mixed.text("<email-1> and ida@reader.example") == "<email-1> and <email-2>"


def test_only_what_changes_in_json_is_written_anew() -> None:
    raw = '{ "to" : "ida@reader.example",\t"n":1.50, "id": 12345678901234567890, "é": "\\u00e9" }'
    assert redacted(raw, Redactor()) == raw.replace("ida@reader.example", "<email-1>")


def test_arguments_that_are_json_in_a_text_stay_valid() -> None:
    inner = '{"note": "line\\nida@reader.example", "n": 2}'
    made = redacted(json.dumps({"arguments": inner}), Redactor())
    assert json.loads(json.loads(made)["arguments"]) == {"note": "line\n<email-1>", "n": 2}


def test_escapes_hide_nothing() -> None:
    made = redacted('{"to": "ida\\u0040reader.example"}', Redactor())
    assert json.loads(made) == {"to": "<email-1>"}


def test_a_whole_number_stays_one_of_as_many_digits() -> None:
    made = json.loads(redacted('{"card": 4012888888881881, "order": 4012888888881882}', Redactor()))
    assert made["order"] == 4012888888881882
    assert len(str(made["card"])) == 16
    assert not [s for s in find_all(str(made["card"])) if s.kind == "card"]


@given(st.integers(1, 9999), st.integers(7, 19))
def test_a_stand_in_is_no_card(number: int, length: int) -> None:
    made = stand_in(number, length)
    assert len(made) == length
    assert not list(find_all(made))


def test_keys_of_objects_are_redacted_as_texts_are() -> None:
    made = json.loads(redacted('{"ida@reader.example": ["ida@reader.example"]}', Redactor()))
    assert made == {"<email-1>": ["<email-1>"]}


@given(st.text() | st.from_regex(r"[\w .:@+-]{0,40}\d{3}[-. ]\d{3}[-. ]\d{4}[\w .]{0,9}"))
def test_a_quick_look_misses_nothing(text: str) -> None:
    slow = {at for s in find_all(text) for at in range(s.start, s.end)}
    assert slow <= {at for f in found_in(text) for at in range(f.start, f.end)}


def chat(*messages: dict[str, Any]) -> str:
    return json.dumps({"messages": list(messages)})


def asks(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def calls(name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "c1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def copied(tmp_path: Path, text: str, name: str = "runs.jsonl") -> str:
    given_, made = tmp_path / name, tmp_path / f"copy-{name}"
    given_.write_text(text, "utf-8")
    write_redacted(given_, made)
    return made.read_text("utf-8")


def test_each_run_has_placeholders_of_its_own(tmp_path: Path) -> None:
    lines = [chat(asks("I am ida@reader.example")), chat(asks("I am bo@reader.example"))]
    made = copied(tmp_path, "\n".join(lines) + "\n")
    assert made.count("I am <email-1>") == 2


def test_a_run_whose_messages_are_records_has_one_placeholder_for_a_value(tmp_path: Path) -> None:
    lines = [asks("bo@reader.example"), asks("ida@reader.example"), asks("IDA@reader.example")]
    made = copied(tmp_path, "\n".join(map(json.dumps, lines)))
    said = [json.loads(line)["content"] for line in made.splitlines()]
    assert said == ["<email-1>", "<email-2>", "<email-2>"]


def test_a_password_goes_wherever_the_run_repeats_it(tmp_path: Path) -> None:
    changed = calls("set", password="hunter_22")  # noqa: S106 - made up
    run = chat(asks("change it to hunter_22, please"), changed)
    made = copied(tmp_path, run)
    assert "hunter" not in made
    assert made.count("<password-1>") == 2


def test_blank_and_broken_lines_keep_their_place(tmp_path: Path) -> None:
    lines = ["", chat(asks("hi")), "", '{"messages": [{"role": "user", "content": "ida@rea']
    made = copied(tmp_path, "\n".join(lines)).split("\n")
    assert made[:3] == lines[:3]
    assert made[3] == lines[3]
    torn = '{"messages": [{"role": "user", "content": "to ida@reader.example'
    assert "ida" not in copied(tmp_path, "\n".join([chat(asks("hi")), torn]))


def test_a_document_stays_a_document(tmp_path: Path) -> None:
    one = json.dumps([asks("ida@reader.example")], indent=2)
    assert json.loads(copied(tmp_path, one, "one.json")) == [asks("<email-1>")]
    obj = chat(asks("ida@reader.example"))
    assert json.loads(copied(tmp_path, obj, "two.json")) == {"messages": [asks("<email-1>")]}


def test_compressed_runs_are_written_plain(tmp_path: Path) -> None:
    packed, made = tmp_path / "runs.jsonl.gz", tmp_path / "copy.jsonl"
    lines = "\n".join(chat(asks(f"{n} ida@reader.example")) for n in range(3))
    packed.write_bytes(gzip.compress(lines.encode()))
    assert write_redacted(packed, made).taken == {"email": 3}
    assert len(made.read_text("utf-8").splitlines()) == 3


def test_a_copy_never_replaces_its_source_nor_leaves_a_part(tmp_path: Path) -> None:
    runs = tmp_path / "runs.jsonl"
    runs.write_text(chat(asks("ida@reader.example")), "utf-8")
    with pytest.raises(UsageError, match="would replace"):
        write_redacted(runs, runs)
    with pytest.raises(UsageError, match="cannot write"):
        write_redacted(runs, tmp_path / "none" / "copy.jsonl")
    (tmp_path / "empty").touch()
    with pytest.raises(UsageError, match="empty"):
        write_redacted(tmp_path / "empty", tmp_path / "copy.jsonl")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "runs.jsonl"]


def answered(path: Path) -> tuple[list[Run], Answer]:
    runs = [run for run in read_runs(path) if isinstance(run, Run)]
    asked = Redaction()
    for run in runs:
        asked.add(run)
    return runs, asked.answer()


def test_the_answer_counts_values_by_kind_and_record(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    runs = [
        chat(asks("ida@reader.example, bo@reader.example"), calls("mail", to="ida@reader.example")),
        chat(asks("ring +49 30 901820")),
    ]
    path.write_text("\n".join(runs), "utf-8")
    _, answer = answered(path)
    figures = {figure.name: figure.value for figure in answer.figures}
    assert figures == {
        "texts": 3,
        "texts with something": 3,
        "share of texts": 1,
        "values": 4,
        "email": 3,
        "phone": 1,
    }
    kinds = [
        [c.value if isinstance(c, Figure) else c for c in r.cells] for r in answer.tables[0].rows
    ]
    assert kinds == [["email", 3, 2, 2], ["phone", 1, 1, 1]]


def test_every_sum_follows_from_the_records_that_it_names(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    runs = [
        chat(asks(f"{n}@reader.example " * n), calls("mail", to="x@y.example")) for n in range(1, 4)
    ]
    path.write_text("\n".join(runs), "utf-8")
    replayed, answer = answered(path)
    email = next(figure for figure in answer.figures if figure.name == "email")
    found = Counter[Any]()
    for run in replayed:
        for event in run.events:
            text = (
                event.arguments_raw if isinstance(event, ToolCall) else getattr(event, "text", "")
            )
            found[event.source] += text.count("@")
    assert dict(zip(email.of, email.amounts, strict=True)) == {k: n for k, n in found.items() if n}
    assert email.value == sum(found.values())


@pytest.mark.parametrize(
    "piece",
    ["@", "a@a.", "1.", "a1:", "::", "+1 ", "bsn: 1", "(4", "://a:", "4 ", "\\u00", '{"a":'],
)
def test_long_hostile_texts_are_redacted_in_one_go(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    assert isinstance(out_of(text), str)
    assert isinstance(json.loads(redacted(json.dumps({"a": text}), Redactor())), dict)
