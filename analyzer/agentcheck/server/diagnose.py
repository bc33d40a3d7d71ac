"""A look as diagnostics, by file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from lsprotocol.types import (
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    DiagnosticTag,
    Location,
    Range,
)
from msgspec import Struct
from pygls.workspace import PositionCodec

from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.card import Severity
from agentcheck.model.finding import Finding
from agentcheck.model.location import Span
from agentcheck.model.report import Note, Skipped
from agentcheck.server.buffers import Texts
from agentcheck.server.look import Look
from agentcheck.server.places import TOP, Lines

SOURCE = "agentcheck"
_LINE = re.compile(r"line (\d+) ")
_SEVERITIES: Mapping[Severity, DiagnosticSeverity] = {
    "high": DiagnosticSeverity.Error,
    "medium": DiagnosticSeverity.Warning,
    "low": DiagnosticSeverity.Information,
    "info": DiagnosticSeverity.Hint,
}

Uri: TypeAlias = Callable[[Path], str]


class Shown(Struct, frozen=True):
    """A diagnostic, and the finding that it shows, if it does."""

    diagnostic: Diagnostic
    finding: Finding | None = None


class Sight(Struct, frozen=True):
    """How places are told to the client: texts, units of columns, addresses of files.

    `related` where the client shows the further lines of a finding.
    """

    texts: Texts
    codec: PositionCodec
    uri: Uri
    related: bool = True

    def lines(self, path: Path) -> Lines:
        """The lines of a file."""
        return Lines(self.texts[path], self.codec)

    def range(self, path: Path, place: CodeEvidence) -> Range:
        """Where evidence stands, as far as its first line goes: nobody wants a loop underlined.

        The top of a notebook, whose cells are no lines of its file.
        """
        if place.cell is not None:
            return TOP
        lines = self.lines(path)
        if place.end_line > place.line:
            return lines.rest(place.line, place.column)
        return lines.range(Span(place.line, place.column, place.line, place.end_column))


def diagnosed(look: Look, sight: Sight) -> dict[Path, list[Shown]]:
    """What is shown in each file: findings that nobody accepted, notes, what was not read."""
    found: dict[Path, list[Shown]] = defaultdict(list)
    for path, shown in _all(look, sight):
        found[path].append(shown)
    return dict(found)


def _all(look: Look, sight: Sight) -> Iterator[tuple[Path, Shown]]:
    for skipped in look.skipped:
        path = look.root / skipped.file
        if path.suffix:  # not a folder, and no rule that failed
            yield path, Shown(_unread(skipped, path, sight))
    if look.report is None:
        return
    for finding in look.report.findings:
        place = finding.primary
        if finding.suppressed is None and isinstance(place, CodeEvidence):
            path = look.root / place.file
            yield path, Shown(_of_finding(finding, place, look.root, sight), finding)
    for note in look.report.notes:
        path = look.root / note.file
        yield path, Shown(_of_note(note, path, sight))


def _of_finding(finding: Finding, place: CodeEvidence, root: Path, sight: Sight) -> Diagnostic:
    return Diagnostic(
        range=sight.range(root / place.file, place),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        source=SOURCE,
        message=_message(finding, place),
        related_information=list(_related(finding, root, sight)) if sight.related else None,
        data=finding.fingerprint,
    )


def _message(finding: Finding, place: CodeEvidence) -> str:
    where = [f"cell {place.cell}, line {place.line}"] if place.cell is not None else []
    told = finding.message or finding.title
    head = f"{finding.title} ({finding.rule})"
    return "\n".join((*where, head, told, f"Change: {finding.smallest_change}"))


def _related(finding: Finding, root: Path, sight: Sight) -> Iterator[DiagnosticRelatedInformation]:
    for item in finding.evidence:
        if item is not finding.primary and isinstance(item, CodeEvidence):
            path = root / item.file
            place = Location(sight.uri(path), sight.range(path, item))
            yield DiagnosticRelatedInformation(place, item.says or item.text)


def _of_note(note: Note, path: Path, sight: Sight) -> Diagnostic:
    rest = TOP if note.cell is not None else sight.lines(path).rest(note.line, note.column)
    unused = note.kind == "unused-ignore"
    return Diagnostic(
        range=rest,
        severity=DiagnosticSeverity.Information,
        code=note.kind,
        source=SOURCE,
        message=note.text,
        tags=[DiagnosticTag.Unnecessary] if unused else None,
    )


def _unread(skipped: Skipped, path: Path, sight: Sight) -> Diagnostic:
    """Not an error: the language's own server says what is wrong with the text."""
    line = _LINE.match(skipped.why)
    return Diagnostic(
        range=sight.lines(path).line(int(line[1])) if line else TOP,
        severity=DiagnosticSeverity.Information,
        code="not-read",
        source=SOURCE,
        message=f"not audited: {skipped.why}",
    )
