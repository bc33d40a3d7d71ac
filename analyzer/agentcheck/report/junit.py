"""JUnit XML, as CI servers read it: a suite for each question, a failed test for each finding.

A question that no finding answers is one test that passed; what somebody accepted is skipped.
The form is that of `junit-10.xsd` of the Jenkins xUnit plug-in. Text from the target holds what
XML 1.0 forbids (control characters, surrogates, U+FFFE, U+FFFF) as visible escapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from agentcheck.model.finding import Finding
from agentcheck.model.pattern import lazy_re
from agentcheck.model.report import Question, Report
from agentcheck.report.escape import one_line
from agentcheck.report.options import Options
from agentcheck.report.words import code_place, owned, place, rooted

_FORBIDDEN = lazy_re("[^\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def suites(report: Report, options: Options) -> str:
    """The report as one XML document."""
    root = ET.Element("testsuites", name=report.tool.name)
    for question, findings in _asked(report):
        root.append(_suite(question, findings, options))
    for key in ("tests", "failures", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    if report.summary.seconds is not None:
        root.set("time", f"{report.summary.seconds:.3f}")
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _asked(report: Report) -> Iterator[tuple[Question, list[Finding]]]:
    """Every question with its findings; a finding whose question is missing gets one."""
    asked = {question.rule: question for question in report.questions}
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        found.setdefault(finding.rule, []).append(finding)
        made = Question(finding.rule, finding.code, finding.topic, finding.title, finding.title)
        asked.setdefault(finding.rule, made)
    for question in sorted(asked.values(), key=lambda one: (one.code, one.rule)):
        yield question, found.get(question.rule, [])


def _suite(question: Question, findings: list[Finding], options: Options) -> ET.Element:
    suite = ET.Element("testsuite", name=xml_line(f"{question.code} {question.rule}"))
    tests = [_test(finding, options) for finding in findings]
    if not tests:
        tests = [ET.Element("testcase", name=xml_line(question.question), classname=question.rule)]
    suite.extend(tests)
    failed, skipped = suite.findall("testcase/failure"), suite.findall("testcase/skipped")
    suite.set("tests", str(len(tests)))
    suite.set("failures", str(len(failed)))
    suite.set("skipped", str(len(skipped)))
    suite.set("errors", "0")
    return suite


def _test(finding: Finding, options: Options) -> ET.Element:
    code = code_place(finding)
    name = f"{finding.subject} at {place(code or finding.primary)}"
    test = ET.Element("testcase", name=xml_line(name), classname=xml_line(finding.rule))
    test.set("file", xml_line(rooted(options.prefix, (code or finding.primary).file)))
    if code is not None and code.cell is None:
        test.set("line", str(code.line))
    if finding.suppressed is not None:
        why = f"{finding.suppressed.by}: {finding.suppressed.reason}"
        ET.SubElement(test, "skipped", message=xml_line(why))
        return test
    failure = ET.SubElement(test, "failure", message=xml_line(finding.title), type=finding.severity)
    failure.text = "\n".join(_told(finding))
    return test


def _told(finding: Finding) -> Iterator[str]:
    yield xml_line(finding.message or finding.title)
    for item in finding.evidence:
        yield xml_line(f"{place(item)}: {item.says}")
    for number, step in enumerate(finding.failure_path, 1):
        yield xml_line(f"{number}. {step}")
    yield xml_line(f"Owner: {owned(finding).replace('`', '')}")
    yield xml_line(f"Change: {finding.smallest_change}")
    yield xml_line(f"Could break: {finding.could_break}")
    yield xml_line(f"Prove it: {finding.acceptance.text}")
    yield f"Fingerprint: {finding.fingerprint}"


def xml_line(text: str) -> str:
    """A text on one line, with what XML 1.0 forbids as visible escapes."""
    return _FORBIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", one_line(text))
