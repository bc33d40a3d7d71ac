"""Every format tells of the same findings, under the same names and at the same places."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.report_parts import HOSTILE, QUESTIONS, code, finding, record
from tests.report_readers import READERS, expected
from tests.report_samples import hostile, make, ordinary

from agentcheck.config import Settings
from agentcheck.model.assessment import Evidence
from agentcheck.model.card import PRIORITIES, SEVERITIES
from agentcheck.model.finding import Finding, Suppression
from agentcheck.model.report import Report
from agentcheck.report import FORMATS, render
from agentcheck.report.prepare import prepare
from agentcheck.run import Request, run

DESK = Path(__file__).parents[1] / "fixtures" / "agents" / "parcel_desk"
NAMES = st.one_of(
    st.sampled_from([text for text in HOSTILE if text.strip()]),
    st.text(st.characters(exclude_categories=()), min_size=1, max_size=60),
)


def agree(report: Report) -> None:
    """Fail for the first format that tells of other findings than the report holds."""
    shown = [item for item in prepare(report).findings if item.suppressed is None]
    wanted = [expected(item) for item in shown]
    for form in FORMATS:
        told = list(READERS[form](render(report, form, width=240, verbose=True, limit=None)))
        assert len(told) == len(wanted), form
        keys = sorted(told[0]) if told else []
        assert Counter(tuple(said[key] for key in keys) for said in told) == Counter(
            tuple(said[key] for key in keys) for said in wanted
        ), form


def test_there_is_a_reader_for_every_format() -> None:
    assert set(FORMATS) <= set(READERS)


def test_the_formats_agree_on_a_repository_and_its_runs() -> None:
    request = Request(paths=(str(DESK),), traces=(str(DESK / "runs.jsonl"),), jobs=1, drawn=True)
    report = run(request, Settings(persona="auditor"))
    assert len(report.findings) > 19
    agree(report)


@pytest.mark.parametrize("text", [*filter(str.strip, HOSTILE), "\n".join(HOSTILE)])
def test_the_formats_agree_on_hostile_names(text: str) -> None:
    agree(hostile(text))


def test_the_formats_agree_on_what_is_set_aside() -> None:
    agree(ordinary())
    agree(make(()))


@st.composite
def evidence(draw: st.DrawFn, role: str) -> Evidence:
    if draw(st.booleans()):
        return record(
            draw(st.integers(0, 99) | NAMES), draw(NAMES), draw(NAMES), role=role, file=draw(NAMES)
        )
    start = draw(st.integers(1, 90))
    return code(
        draw(st.integers(1, 10**6)),
        draw(NAMES),
        draw(NAMES),
        role=role,
        file=draw(NAMES),
        column=start,
        end_column=start + draw(st.integers(0, 90)),
        cell=draw(st.none() | st.integers(1, 9)),
    )


@st.composite
def findings(draw: st.DrawFn, number: int) -> Finding:
    places = [draw(evidence("primary")), *draw(st.lists(evidence("related"), max_size=2))]
    asked = draw(st.sampled_from(range(len(QUESTIONS))))
    made = finding(
        asked + 1,
        tuple(draw(st.permutations(places))),
        title=draw(NAMES),
        subject=draw(NAMES),
        severity=draw(st.sampled_from(SEVERITIES)),
        priority=draw(st.sampled_from(PRIORITIES)),
        suppressed=draw(st.sampled_from([None, None, Suppression("baseline", "known")])),
    )
    return msgspec.structs.replace(made, id=f"F{number}", fingerprint=f"{number:020x}")


@st.composite
def reports(draw: st.DrawFn) -> Report:
    return make(tuple(draw(findings(n)) for n in range(1, draw(st.integers(0, 4)) + 1)))


@given(report=reports())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_formats_agree_on_any_report(report: Report) -> None:
    agree(report)
