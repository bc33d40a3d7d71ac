"""Golden cases as JUnit XML, a test a case. What cannot be told is skipped, or failed if strict."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from agentcheck.model.expectation import CaseOutcome, Expectations
from agentcheck.model.report import Report
from agentcheck.report.cases_words import place
from agentcheck.report.junit import xml_line
from agentcheck.report.options import Options


def suite(report: Report, _: Options) -> str:
    """The cases as one XML document, in the form that `junit` gives reports."""
    root = ET.Element("testsuites", name=f"{report.tool.name} cases")
    if report.expectations is not None:
        root.append(_suite(report.expectations))
    for key in ("tests", "failures", "skipped"):
        root.set(key, str(sum(int(one.get(key, "0")) for one in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(told: Expectations) -> ET.Element:
    made = ET.Element("testsuite", name=xml_line(told.file))
    made.extend(_test(case, told) for case in told.cases)
    made.set("tests", str(len(told.cases)))
    made.set("failures", str(len(made.findall("testcase/failure"))))
    made.set("skipped", str(len(made.findall("testcase/skipped"))))
    made.set("errors", "0")
    return made


def _test(case: CaseOutcome, told: Expectations) -> ET.Element:
    test = ET.Element("testcase", name=xml_line(case.id), classname=xml_line(told.file))
    if case.outcome == "pass":
        return test
    first = xml_line(case.remarks[0].text) if case.remarks else case.outcome
    if case.outcome == "cannot-tell" and not told.strict:
        ET.SubElement(test, "skipped", message=f"cannot tell: {first}")
        return test
    failure = ET.SubElement(test, "failure", message=first, type=case.outcome)
    lines = [f"{r.expectation}: {r.text} {place(r)}" for r in case.remarks]
    lines += [f"and {case.more} more"] if case.more else []
    failure.text = "\n".join(map(xml_line, lines))
    return test
