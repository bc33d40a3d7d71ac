"""The text of a generated test: valid, safe whatever the finding says, and found again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.acceptance_samples import DESK, NAMES, generated, make_finding

from agentcheck.acceptance import generate
from agentcheck.acceptance.scenarios import TOPICS, scenario_for
from agentcheck.model.finding import Finding


@pytest.mark.parametrize("key", ["module", "runner", "run", "agent_param", "agent_class"])
def test_a_missing_name_is_named_for_a_person_to_fill_in(key: str) -> None:
    names = {name: value for name, value in NAMES.items() if name != key}
    source = generate.test_source(make_finding("unbounded-loop", names))
    assert source is not None
    skip, rest = source.split(", allow_module_level=True)\n")
    assert f"a person must fill in: fill_in_{key}, " in skip
    assert "import fill_in" not in skip
    assert f"fill_in_{key}" in rest


def test_a_file_finds_its_target_from_its_own_folder(tmp_path: Path) -> None:
    out = tmp_path / "app" / "tests" / "acceptance"
    [path] = generated(out, tmp_path / "app", ["handoff-race"])
    assert 'Path(__file__).parent / "../.."' in path.read_text()
    assert str(tmp_path) not in path.read_text()


def test_writing_again_writes_over_and_two_of_one_name_both_stay(tmp_path: Path) -> None:
    first = generated(tmp_path, DESK, ["handoff-race", "handoff-race"])
    assert [path.stem for path in first] == ["test_handoff_race_7a5e", "test_handoff_race_7a5e_1"]
    assert generated(tmp_path, DESK, ["handoff-race", "handoff-race"]) == first
    assert sorted(tmp_path.iterdir()) == sorted(first)


def test_a_topic_without_a_test_makes_no_file(tmp_path: Path) -> None:
    finding = make_finding("handoff-race", NAMES)
    other = Finding(**{f: getattr(finding, f) for f in finding.__struct_fields__} | {"topic": "x"})
    assert generate.test_source(other) is None
    assert generate.write_tests([other], DESK, tmp_path) == []


@pytest.mark.parametrize("topic", TOPICS)
def test_every_file_is_python_whatever_the_finding_says(topic: str) -> None:
    @settings(max_examples=60, deadline=None)
    @given(st.text(), st.dictionaries(st.sampled_from(sorted(NAMES)), st.text(max_size=8)))
    @example("", {"shape": "tool"})
    def check(title: str, names: dict[str, str]) -> None:
        told = {**NAMES, **names}
        source = generate.test_source(make_finding(topic, told, title))
        # A shape that the topic is not about, as of a single tool, has no file at all.
        assert (source is None) == (scenario_for(topic, told["shape"]) is None)
        compile(source or "", "generated", "exec")

    check()


HOSTILE = 'x"; import os; os.abort() #\n\r\x0c\u2028import os; os.abort()\n# coding: utf-7 \u202e'


def test_hostile_text_stays_in_comments_and_strings() -> None:
    names = {**dict.fromkeys(NAMES, HOSTILE), "import_root": "../../etc"}
    source = generate.test_source(make_finding("unbounded-loop", names, HOSTILE), HOSTILE)
    assert source is not None
    lines = [line for line in source.splitlines() if "abort" in line]
    assert lines
    assert all(line.startswith(("#", "TARGET = ")) for line in lines)
    assert "etc" not in source
    assert "\u202e" not in source
    assert "coding" not in "".join(source.splitlines()[:2])
    assert "a person must fill in" in source


@pytest.mark.parametrize("name", ["Path", "Runner", "Agent", "TestBench"])
def test_a_class_called_like_something_of_the_test_is_imported_under_another_name(
    name: str,
) -> None:
    source = generate.test_source(make_finding("unbounded-loop", {**NAMES, "runner": name}))
    assert source is not None
    taken = "Agent as TheAgent" if name == "Agent" else f"{name} as The{name}"
    assert f"import {taken}\n" in source
