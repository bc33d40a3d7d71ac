"""JUnit XML."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from tests.report_parts import HOSTILE, QUESTIONS, code, finding
from tests.report_samples import clean, hostile, make, ordinary

from agentcheck.model.report import Report
from agentcheck.report import render

LEGAL = re.compile("[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


def suites(report: Report) -> ET.Element:
    text = render(report, "junit")
    assert LEGAL.fullmatch(text)
    return ET.fromstring(text.encode("utf-8"))  # noqa: S314 - our own text


def test_a_document_reads_as_before(snapshot: SnapshotAssertion) -> None:
    assert render(ordinary(), "junit", prefix="services") == snapshot


def test_every_question_is_a_suite_and_one_without_findings_passes() -> None:
    root = suites(clean())
    assert len(root.findall("testsuite")) == len(QUESTIONS) == int(root.get("tests", ""))
    assert (root.get("failures"), root.get("skipped")) == ("0", "0")
    assert [case.get("name") for case in root.iter("testcase")] == [
        q.question for q in sorted(QUESTIONS, key=lambda q: q.code)
    ]


def test_findings_fail_and_what_somebody_accepted_is_skipped() -> None:
    root = suites(ordinary())
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("6", "4", "2")
    assert [s.get("message") for s in root.iter("skipped")] == [
        "ignore: a sandbox",
        "baseline: known since 2026-10-01",
    ]
    for suite in root:
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
        assert suite.get("tests") == str(len(suite.findall("testcase")))


def test_a_failure_tells_where_why_and_what_to_change() -> None:
    (place,) = (code(4, "while True:", "no end", role="primary"),)
    (failure,) = suites(make((finding(1, (place,)),))).iter("failure")
    assert failure.get("message") == QUESTIONS[0].title
    assert failure.get("type") == "high"
    told = (failure.text or "").splitlines()
    assert told[1] == "desk/loop.py:4:1: no end"
    assert told[2] == "1. A customer asks."
    assert any(line.startswith("Change: Count the turns") for line in told)


@pytest.mark.parametrize("text", [*HOSTILE, "\n".join(HOSTILE), "\ufffe \uffff \x0b"])
def test_any_text_makes_legal_xml_and_no_element_of_its_own(text: str) -> None:
    root = suites(hostile(text))
    assert {node.tag for node in root.iter()} == {
        "testsuites", "testsuite", "testcase", "failure", "skipped",
    }  # fmt: skip


@given(text=st.text(st.characters(exclude_categories=()), max_size=60))
@settings(max_examples=40, deadline=None)
def test_whatever_unicode_holds_is_told_legally(text: str) -> None:
    assert suites(hostile(text)).get("failures") == "1"
