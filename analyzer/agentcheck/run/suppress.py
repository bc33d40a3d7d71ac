"""Which findings are known and accepted: by a comment, by the configuration, by the baseline."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from agentcheck.config import FileIgnore, Settings
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.facts import FileFacts, Ignore
from agentcheck.model.finding import Finding, Suppression
from agentcheck.rule import Rule
from agentcheck.run.select import rank

_Line: TypeAlias = tuple[str, int | None, int]


class Comment(Struct, frozen=True):
    """An ignore comment and the file line it stands on; `alone` when no code shares that line."""

    ignore: Ignore
    line: int
    alone: bool


class Suppressor:
    """Says of each finding whether somebody accepted it.

    A comment counts on the first or last line of any evidence, or alone on the line above it. It
    no longer counts on the day after it expires.
    """

    def __init__(
        self, files: Iterable[FileFacts], settings: Settings, baseline: frozenset[str]
    ) -> None:
        self._comments = _comments(files, dt.datetime.now(tz=dt.UTC).date())
        self._entries = settings.per_file_ignores
        self._baseline = baseline

    def of(self, finding: Finding, rule: Rule) -> Suppression | None:
        """Why the finding is not shown, or None."""
        for evidence in finding.evidence:
            if isinstance(evidence, CodeEvidence):
                for comment in self._near(evidence):
                    if not comment.ignore.rules or rank(rule, comment.ignore.rules):
                        reason = comment.ignore.reason or "ignored by a comment"
                        return Suppression("ignore", reason, evidence.file, comment.line)
        entry = next((e for e in self._entries if _concerns(e, finding, rule)), None)
        if entry is not None:
            return Suppression("config", f"per-file-ignores: {entry.pattern}")
        if finding.fingerprint in self._baseline:
            return Suppression("baseline", "known when the baseline was written")
        return None

    def _near(self, evidence: CodeEvidence) -> Iterator[Comment]:
        file, cell = evidence.file, evidence.cell
        for line in {evidence.line, evidence.end_line}:
            yield from self._comments.get((file, cell, line), ())
        above = self._comments.get((file, cell, evidence.line - 1), ())
        yield from (comment for comment in above if comment.alone)


def _comments(files: Iterable[FileFacts], today: dt.date) -> dict[_Line, list[Comment]]:
    found: dict[_Line, list[Comment]] = defaultdict(list)
    for file in files:
        for ignore in file.ignores:
            if ignore.expires is None or today <= ignore.expires:
                place = file.place(ignore.span)
                alone = not file.lines[ignore.span.line - 1][: ignore.span.column - 1].strip()
                comment = Comment(ignore, place.span.line, alone)
                found[place.file, place.cell, place.span.line].append(comment)
    return dict(found)


def _concerns(entry: FileIgnore, finding: Finding, rule: Rule) -> bool:
    from pathspec import GitIgnoreSpec

    if not rank(rule, entry.rules):
        return False
    return GitIgnoreSpec.from_lines([entry.pattern]).match_file(finding.primary.file)
