"""What happens to a report before any format sees it: whole characters, secrets masked.

Lines of code keep their length, for columns point into them: their secrets are starred. Elsewhere
a secret gives way to a placeholder such as `<key-1>`, numbered in the order in which the report
first shows it; equal values have equal placeholders, and nothing leads back from one to its value.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from agentcheck.model.assessment import Challenge, TraceEvidence
from agentcheck.model.finding import Acceptance, Finding
from agentcheck.model.policy_check import PolicyCheck
from agentcheck.model.report import Report
from agentcheck.model.whatif_report import WhatIf
from agentcheck.report.escape import well_formed
from agentcheck.report.mask import mask_personal, mask_secrets
from agentcheck.trace.mask import PERSONAL, SECRETS, Numbered, mask

# Names that others join on: masked, they would no longer join.
_IDENTITIES = frozenset(
    {"file", "owner_file", "record", "pointer", "fingerprint", "id", "rule", "code", "topic"}
)

_NO_ACCEPTANCE, _NO_CHALLENGE = Acceptance(""), Challenge()
_NESTED = frozenset({dict, list, tuple})


def prepare(report: Report) -> Report:
    """The report with every text encodable, secrets masked, and personal data of runs masked."""
    return msgspec.convert(_Cleaner().walk(msgspec.to_builtins(report)), Report)


def prepare_lines(report: Report) -> Report:
    """The report for a format that gives a finding one line: its title and its place are cleaned,
    and whatever else could be quoted of the target is left out."""
    cleaner = _Cleaner()
    lines = tuple(cleaner.line_of(finding) for finding in report.findings)
    rest = cleaner.walk(msgspec.to_builtins(replace(report, findings=())))
    return replace(msgspec.convert(rest, Report), findings=lines)


def prepare_answers(answers: WhatIf) -> WhatIf:
    """The answers cleaned as a report is."""
    return msgspec.convert(_Cleaner().walk(msgspec.to_builtins(answers)), WhatIf)


def prepare_cases(check: PolicyCheck) -> PolicyCheck:
    """The cases of a policy cleaned: what they quote is as much a record as a run is."""
    return msgspec.convert(_Cleaner().walk(msgspec.to_builtins(check), personal=True), PolicyCheck)


class _Cleaner:
    """Walks plain values; remembers texts, for a report repeats most of them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bool], str] = {}
        self._lines: dict[str, str] = {}
        self._numbered = Numbered()

    def walk(self, value: Any, *, personal: bool = False) -> Any:
        if isinstance(value, str):
            return self._text(value, personal)
        if isinstance(value, dict):
            return self._mapping(value, personal)
        if isinstance(value, list | tuple):
            return [self.walk(item, personal=personal) for item in value] if value else value
        return value

    def _mapping(self, value: dict[str, Any], personal: bool) -> dict[str, Any]:  # noqa: FBT001
        code = value.get("kind") == "code"
        personal = not code and (personal or _from_run(value))
        found = value.copy()
        for key, item in value.items():  # hundreds of thousands: no call for what needs none
            if type(item) is str:
                if key in _IDENTITIES:
                    found[key] = item if item.isascii() else well_formed(item)
                elif code and key == "text":
                    found[key] = self._line(item)
                elif item:
                    found[key] = self._text(item, personal)
            elif item and type(item) in _NESTED:
                found[key] = self.walk(item, personal=personal)
        return found

    def line_of(self, finding: Finding) -> Finding:
        """A finding that has nothing but what a line shows."""
        primary = finding.primary
        personal = any(isinstance(item, TraceEvidence) for item in finding.evidence)
        return replace(
            finding,
            title=self._text(finding.title, personal),
            evidence=(replace(primary, file=well_formed(primary.file), text="", says=""),),
            message="",
            subject="",
            at_stake="",
            failure_path=(),
            consequence="",
            owner="",
            smallest_change="",
            could_break="",
            acceptance=_NO_ACCEPTANCE,
            challenge=_NO_CHALLENGE,
            names={},
            owner_file=None,
        )

    def _line(self, text: str) -> str:
        known = self._lines.get(text)
        if known is None:
            known = self._lines[text] = mask_secrets(well_formed(text))
        return known

    def _text(self, text: str, personal: bool) -> str:  # noqa: FBT001 - see `_mapping`
        known = self._known.get((text, personal))
        if known is None:
            kinds = SECRETS | PERSONAL if personal else SECRETS
            # Stars take what has no kind; after the placeholders little is left to them.
            known = mask_secrets(self._numbered(mask(well_formed(text), kinds)))
            known = mask_personal(known) if personal else known
            self._known[text, personal] = known
        return known


def _from_run(value: dict[str, Any]) -> bool:
    """Whether this is trace evidence, or something that rests on trace evidence."""
    if value.get("kind") == "trace":
        return True
    evidence = value.get("evidence")
    return isinstance(evidence, list | tuple) and any(e.get("kind") == "trace" for e in evidence)
