"""Golden cases of a policy as JUnit XML: a test a case, failed where it came out otherwise."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from agentcheck.model.policy_check import PolicyCheck
from agentcheck.model.whatif import PolicyCase
from agentcheck.report.junit import xml_line
from agentcheck.report.options import Options


def suite(check: PolicyCheck, _: Options) -> str:
    """The cases as one XML document, in the form that `junit` gives reports."""
    counts = {"tests": str(len(check.cases)), "failures": str(check.failed), "skipped": "0"}
    root = ET.Element("testsuites", {"name": f"{check.tool.name} policy cases", **counts})
    made = ET.SubElement(root, "testsuite", {"name": xml_line(check.file), **counts, "errors": "0"})
    made.extend(_test(case, check.policy) for case in check.cases)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _test(case: PolicyCase, policy: str) -> ET.Element:
    test = ET.Element("testcase", name=xml_line(case.id), classname=xml_line(policy))
    if case.missed:
        first = xml_line(case.missed[0])
        failure = ET.SubElement(test, "failure", message=first, type=case.decision)
        failure.text = "\n".join(map(xml_line, case.missed))
    return test
