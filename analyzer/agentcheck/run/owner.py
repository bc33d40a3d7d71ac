"""Where the owner of a finding is defined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.finding import Finding


def with_owner_files(
    findings: Iterable[Finding], owners: Iterable[Mapping[str, list[str]]]
) -> list[Finding]:
    """The findings, each with the file of its owner where that is one definition or agent.

    Of several of one name it is the one that the evidence shows; with none there, nobody can tell.
    `owners` are the files that define names, for each part of the target.
    """
    found = list(findings)
    files: dict[str, set[str]] = defaultdict(set)
    names = {finding.owner for finding in found}
    for defined in owners:
        for name in names & defined.keys():
            files[name].update(defined[name])
    return [replace(one, owner_file=_of(one, files.get(one.owner, set()))) for one in found]


def _of(finding: Finding, files: set[str]) -> str | None:
    if len(files) == 1:
        return next(iter(files))
    shown = [item.file for item in finding.evidence if isinstance(item, CodeEvidence)]
    return next((file for file in shown if file in files), None)
