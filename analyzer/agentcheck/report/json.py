"""The JSON report (schema `agentcheck/report/1`), its schema, and findings one a line.

`python -m agentcheck.report.json` prints the JSON schema of the report.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from agentcheck.model.report import SCHEMA, Report
from agentcheck.report.escape import json_text
from agentcheck.report.options import Options
from agentcheck.report.plain_json import print_schema, schema_of, text_of


def document(report: Report, options: Options) -> str:
    """The whole report as one JSON object, keys always in the same order."""
    return text_of(msgspec.json.encode(plain(report)), options)


def lines(report: Report, _: Options) -> str:
    """Each finding as a JSON object on a line of its own, as it stands in the report."""
    return "".join(json_text(msgspec.json.encode(f)) + "\n" for f in plain(report)["findings"])


def plain(report: Report) -> dict[str, Any]:
    """The report as the dicts, lists and scalars that are written.

    It goes without the graph, which `agentcheck graph` prints, a finding without its `names` (they
    serve the acceptance tests alone), a fix without its edits, evidence outside notebooks without
    a `cell`.
    """
    built: dict[str, Any] = msgspec.to_builtins(report, order="deterministic")
    del built["graph"]
    for finding in built["findings"]:
        finding.pop("names", None)
        if finding["fix"] is not None:
            del finding["fix"]["edits"]
        _drop_empty_cells(finding["evidence"])
    for assessment in built["assessments"]:
        _drop_empty_cells(assessment["evidence"])
    return built


def schema() -> dict[str, Any]:
    """The JSON schema of what `document` writes, made from the model."""
    made = schema_of(Report, SCHEMA)
    definitions: dict[str, Any] = made["$defs"]
    for name, unwritten in (("Finding", "names"), ("Report", "graph"), ("Fix", "edits")):
        del definitions[name]["properties"][unwritten]
        definitions[name]["required"].remove(unwritten)
    definitions["CodeEvidence"]["required"].remove("cell")
    for inner in ("Diagram", "Node", "Edge", "Edit", "Span"):
        del definitions[inner]
    return made


def _drop_empty_cells(evidence: Iterable[dict[str, Any]]) -> None:
    for item in evidence:
        if item.get("cell", 0) is None:
            del item["cell"]


if __name__ == "__main__":
    print_schema(schema())
