"""Files of golden cases: what is wrong with a bad one, in one line, and hostile ones."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.command_line import Here
from tests.trace_samples import LOAN, lines

from agentcheck.expect import load_cases
from agentcheck.expect.yaml12 import parse
from agentcheck.model.errors import UsageError

GOOD = "cases: [{id: a, task: Hi, expect: {status: completed}}]"


def error_of(tmp_path: Path, text: str | bytes, name: str = "cases.yaml") -> str:
    """What is said of a file, which is not good."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError) as caught:
        load_cases(str(path))
    said = str(caught.value)
    assert said.startswith(f"{path}: ")
    assert "\n" not in said
    return said.removeprefix(f"{path}: ")


CASE = "cases: [{id: a, task: Hi, "
WRONG: list[tuple[str, str]] = [
    (
        CASE + "expect: {statuss: x}}]",
        'cases[0].expect.statuss: unknown key; did you mean "status"? (in the case "a")',
    ),
    (CASE + "expct: {}}]", 'cases[0].expct: unknown key; did you mean "expect"?'),
    (CASE + "note: x}]", 'cases[0].expect: this key is missing; add it (in the case "a")'),
    (CASE + "expect: {}}]", "cases[0].expect: nothing is expected here; add a key such as status"),
    (CASE + "expect: {contains: [1]}}]", "cases[0].expect.contains[0]: expected a text; put it in"),
    (CASE + 'expect: {contains: ""}}]', "cases[0].expect.contains[0]: expected a text that is not"),
    (CASE + "expect: {contains: []}}]", "cases[0].expect.contains: expected at least one"),
    (CASE + "expect: {max_turns: many}}]", "cases[0].expect.max_turns: expected a whole number"),
    (CASE + "expect: {max_turns: -1}}]", "cases[0].expect.max_turns: input should be greater"),
    (CASE + "expect: {max_turns: true}}]", "cases[0].expect.max_turns: expected a whole number"),
    (
        CASE + "expect: {calls: [{tool: x, argument: {}}]}}]",
        'cases[0].expect.calls[0].argument: unknown key; did you mean "arguments"?',
    ),
    (
        CASE + "expect: {calls: {tool: x, result: fine}}}]",
        "cases[0].expect.calls[0].result: expected 'ok', 'error' or 'none'",
    ),
    (CASE + "expect: {calls: {tool: x, at_least: 3, at_most: 1}}}]", "at_least is more than at_m"),
    (CASE + "expect: {calls: {tool: x, times: 3, at_most: 1}}}]", "times says exactly how often"),
    (CASE + "match: {}, expect: {status: x}}]", "cases[0].match: this matches nothing; add a key"),
    (CASE + "match: {task: Ho}, expect: {status: x}}]", "the task stands here and in match"),
    ("cases: [{id: a, expect: {status: x}}]", "it says of no run that it is about it"),
    ("cases: [{id: 7, task: x, expect: {status: x}}]", "cases[0].id: expected a text; put it in"),
    ("cases: []", "cases: expected at least one"),
    ("case: []", 'case: unknown key; did you mean "cases"?'),
    (GOOD.replace("cases: ", ""), 'expected a mapping; put the list under the key "cases"'),
    ("", "the file: expected a mapping of keys to values"),
    (GOOD + "\ncases: 1", 'line 2, column 1: the key "cases" stands twice in one mapping'),
    ("cases: [", "line 1, column 9: expected the node content"),
    ("cases: &a [*b]", "line 1, column 12: found undefined alias"),
    ("a: !!python/object/apply:os.system [ls]", "could not determine a constructor"),
    ("a: !!timestamp soon", "could not determine a constructor"),
    ("a: !!bool soon", "soon"),
    ("a: &a {b: 1}\nc: {<<: *a}", "merge keys (<<) are no part of YAML 1.2"),
    ("a: " + "[" * 9_999, "nested too deeply"),
    ("- " * 90 + "x", "nested too deeply"),
    ("- x\n" * 60_000, "more than 50,000 keys and values"),
    ("a: " + "9" * 5_000, "xceeds the limit"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=[said[:50] for _, said in WRONG])
def test_a_bad_file_is_told_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    assert said in error_of(tmp_path, text)


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    twice = GOOD.replace("]", ", {id: a, task: Ho, expect: {status: x}}]")
    assert error_of(tmp_path, twice).startswith('cases[1].id: "a" is the id of a case before')


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    assert "rename the file" in error_of(tmp_path, GOOD, "cases.txt")
    assert "no UTF-8" in error_of(tmp_path, b"\xff\xfe\x00")
    assert "split the cases" in error_of(tmp_path, "#" * 2_000_000)
    assert "stands twice" in error_of(tmp_path, '{"cases": [], "cases": []}', "cases.json")
    assert "nested too deeply" in error_of(tmp_path, "[" * 99_999, "cases.json")
    assert "mend it there" in error_of(tmp_path, "cases = [", "cases.toml")
    with pytest.raises(UsageError, match="check the path"):
        load_cases(str(tmp_path / "missing.yaml"))
    with pytest.raises(UsageError, match="this is no path"):
        load_cases("a\0b.yaml")


def test_the_three_notations_hold_the_same(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(GOOD, "utf-8")
    json = '{"cases": [{"id": "a", "task": "Hi", "expect": {"status": "completed"}}]}'
    (tmp_path / "c.json").write_text(json, "utf-8")
    toml = '[[cases]]\nid = "a"\ntask = "Hi"\nexpect = {status = "completed"}\n'
    (tmp_path / "c.toml").write_text(toml, "utf-8")
    yaml, *others = (load_cases(str(tmp_path / f"c.{form}")) for form in ("yaml", "json", "toml"))
    assert others == [yaml, yaml]


def test_yaml_is_read_as_version_1_2_says() -> None:
    text = "a: no\nb: 2026-03-01\nc: 007\nd: 12:30\ne: true\nf: ~\ng: 1.5e3\nh: -4\ni: 0.5\nj: .5\n"
    values = {"a": "no", "b": "2026-03-01", "c": "007", "d": "12:30", "e": True, "f": None}
    assert parse(text) == values | {"g": 1500.0, "h": -4, "i": 0.5, "j": 0.5}


def test_aliases_that_multiply_cost_nothing(tmp_path: Path) -> None:
    levels = "".join(f"  - &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]\n" for n in range(1, 40))
    path = tmp_path / "cases.yaml"
    text = "cases:\n- id: a\n  task: Hi\n  expect: {calls: {tool: t, arguments: &r {q: *r}}}\n"
    path.write_text(f"{text}  note:\n  - &x0 [a, a]\n{levels}", "utf-8")
    assert [case.id for case in load_cases(str(path)).cases] == ["a"]


def test_the_form_of_the_post_that_golden_cases_come_from_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(
        "cases:\n"
        "  - id: mail-needs-approval\n"
        '    task: "Send an email."\n'
        "    tenant: {allowed_tools: [send_email]}\n"
        "    expect: {status: awaiting_approval}\n"
        "  - id: budget\n"
        '    task: "Answer briefly."\n'
        "    tenant: {token_budget: 5}\n"
        '    expect: {status: "failed:budget_exceeded", not_contains: ["shipped"]}\n',
        "utf-8",
    )
    assert [case.id for case in load_cases(str(path)).cases] == ["mail-needs-approval", "budget"]


def test_a_bad_file_ends_the_command_with_2_and_one_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs = lines(tmp_path / "runs.jsonl", [{"messages": LOAN}])
    (tmp_path / "bad.yaml").write_text("cases: 1\n", "utf-8")
    done = Here(capfd)("trace", runs, "--expect", tmp_path / "bad.yaml", "--isolated")
    assert done.code == 2
    assert done.error.endswith("bad.yaml: cases: expected a list")


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda s: s.encode(errors="replace")))
def test_no_bytes_make_it_crash(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    for form in ("yaml", "json", "toml"):
        path = folder / f"c.{form}"
        path.write_bytes(data)
        with pytest.raises(UsageError):
            load_cases(str(path))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["cases", "id", "task", "match", "expect", "calls", "tool", "times"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_no_data_makes_it_crash(data: object) -> None:
    from agentcheck.expect.cases import check_cases

    with contextlib.suppress(UsageError):
        assert check_cases(data, "c").cases
