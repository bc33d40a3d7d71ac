"""What holds for every format, for any text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.report_parts import HOSTILE, code, finding, record
from tests.report_samples import hostile, large, make, ordinary

from agentcheck.model.assessment import CodeEvidence, Evidence
from agentcheck.model.report import Report
from agentcheck.report import FORMATS, render

ROOT = Path(__file__).parent.parent
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=()), max_size=80),
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    made = []
    for number in range(1, draw(st.integers(0, 4)) + 1):
        text = draw(TEXTS)
        start = draw(st.integers(1, 200))
        evidence: list[Evidence] = [
            code(
                draw(st.integers(1, 10**6)),
                text,
                draw(TEXTS),
                role="primary",
                file=draw(TEXTS) or "a.py",
                column=start,
                end_column=start + draw(st.integers(0, 200)),
                cell=draw(st.none() | st.integers(1, 9)),
            ),
            record(draw(st.integers(0, 99) | TEXTS), draw(TEXTS), draw(TEXTS)),
        ]
        made.append(finding(number, tuple(draw(st.permutations(evidence))), title=draw(TEXTS)))
    return make(tuple(made))


@given(report=reports(), width=st.integers(1, 200))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_report_can_be_shown_in_every_format(report: Report, width: int) -> None:
    for form in FORMATS:
        shown = render(report, form, width=width, verbose=True)
        assert not UNSEEN.search(shown)
        assert shown.encode("utf-8").decode("utf-8") == shown
        assert shown.endswith("\n") or (form == "jsonl" and not report.findings)


@given(report=reports())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_id_and_fingerprint_is_in_json_sarif_and_markdown(report: Report) -> None:
    wanted = [(item.id, item.fingerprint) for item in report.findings]
    told = json.loads(render(report, "json"))["findings"]
    assert [(item["id"], item["fingerprint"]) for item in told] == wanted
    results = json.loads(render(report, "sarif"))["runs"][0]["results"]
    assert [
        (r["properties"]["id"], r["partialFingerprints"]["agentcheck/v1"]) for r in results
    ] == wanted
    page = render(report, "markdown", limit=None)
    assert re.findall(r"^### (F\d+) ", page, re.MULTILINE) == [name for name, _ in wanted]
    assert re.findall(r"^- \*\*Fingerprint:\*\* `(\w+)`", page, re.MULTILINE) == [
        fingerprint for _, fingerprint in wanted
    ]


@given(report=reports())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_sarif_read_back_points_to_the_same_places(report: Report) -> None:
    results = json.loads(render(report, "sarif"))["runs"][0]["results"]
    for item, result in zip(report.findings, results, strict=True):
        place, primary = result["locations"][0], item.primary
        assert isinstance(primary, CodeEvidence)
        inner = place["physicalLocation"].get("region") or place["properties"]
        assert inner.get("startLine", inner.get("line")) == primary.line
        assert inner.get("startColumn", inner.get("column")) == primary.column
        uri = unquote(place["physicalLocation"]["artifactLocation"]["uri"])
        assert uri == primary.file.encode("utf-8", "backslashreplace").decode()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", HOSTILE)
def test_the_same_report_is_shown_the_same_way(form: str, text: str) -> None:
    assert render(hostile(text), form) == render(hostile(text), form)


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_without_anything_is_shown(form: str) -> None:
    bare = msgspec.structs.replace(make(()), questions=(), assessments=(), skipped=())
    assert render(bare, form) or form == "jsonl"


@pytest.mark.parametrize("form", FORMATS)
def test_many_findings_are_shown(form: str) -> None:
    assert render(large(300), form)


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no format 'xml' of a report: choose one of full,"):
        render(ordinary(), "xml")


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        render(ordinary(), "full", colour="never")


@pytest.mark.parametrize("form", [None, "json", "sarif", "github"])
def test_drawing_libraries_are_loaded_only_where_they_draw(form: str | None) -> None:
    script = (
        "import sys; from tests.report_samples import ordinary; "
        "from agentcheck.report import render; "
        f"{form!r} and render(ordinary(), {form!r}); "
        "print({'rich', 'jinja2', 'libcst', 'networkx'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "set()\n"
