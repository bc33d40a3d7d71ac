"""Which findings are known and accepted: by a comment, by the configuration, by the baseline."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from agentcheck.config import FileIgnore, Settings
from agentcheck.facts.brief import Brief
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.facts import Ignore
from agentcheck.model.finding import Finding, Suppression
from agentcheck.model.location import Place
from agentcheck.rule import Rule
from agentcheck.run.baseline import Baseline
from agentcheck.run.select import rank

_Line: TypeAlias = tuple[str, int | None, int]


class Comment(Struct, frozen=True, eq=False):
    """An ignore comment and where it stands; `alone` when no code shares that line.

    `used` collects what it names that a finding was accepted by, "" for a comment that names no
    rule; of one that `expired`, what it would have accepted.
    """

    ignore: Ignore
    place: Place
    alone: bool
    expired: bool
    used: set[str]


class Suppressor:
    """Says of each finding whether somebody accepted it, and of each comment what it is good for.

    A comment counts on the first or last line of any evidence, or alone on the line above it. It
    no longer counts on the day after it expires.
    """

    def __init__(
        self, files: Iterable[Brief], settings: Settings, baseline: Baseline | None
    ) -> None:
        self.comments = tuple(_comments(files, dt.datetime.now(tz=dt.UTC).date()))
        self._by_line: dict[_Line, list[Comment]] = defaultdict(list)
        for comment in self.comments:
            place = comment.place
            self._by_line[place.file, place.cell, place.span.line].append(comment)
        self._entries = settings.per_file_ignores
        self._baseline = baseline

    def of(self, finding: Finding, rule: Rule, before: str) -> Suppression | None:
        """Why the finding is not shown, or None; `before` is its fingerprint under the names that
        files had when the baseline was written."""
        comment = self._comment(finding, rule)
        if comment is not None:
            return _by_comment(comment)
        entry = next((e for e in self._entries if _concerns(e, finding, rule)), None)
        if entry is not None:
            return Suppression("config", f"per-file-ignores: {entry.pattern}")
        if self._baseline and self._baseline.knows(finding.fingerprint, before):
            return Suppression("baseline", "known when the baseline was written")
        return None

    def _comment(self, finding: Finding, rule: Rule) -> Comment | None:
        """The first comment that accepts the finding; all that would are noted as used."""
        first = None
        for evidence in finding.evidence:
            if isinstance(evidence, CodeEvidence):
                for comment in self._near(evidence):
                    named = [n for n in comment.ignore.rules or ("",) if not n or rank(rule, (n,))]
                    comment.used.update(named)
                    if named and not comment.expired:
                        first = first or comment
        return first

    def _near(self, evidence: CodeEvidence) -> Iterator[Comment]:
        file, cell = evidence.file, evidence.cell
        for line in {evidence.line, evidence.end_line}:
            yield from self._by_line.get((file, cell, line), ())
        above = self._by_line.get((file, cell, evidence.line - 1), ())
        yield from (comment for comment in above if comment.alone)


def _by_comment(comment: Comment) -> Suppression:
    ignore, place = comment.ignore, comment.place
    expires = ignore.expires.isoformat() if ignore.expires else None
    reason = ignore.reason or "ignored by a comment"
    return Suppression("ignore", reason, place.file, place.span.line, expires)


def _comments(files: Iterable[Brief], today: dt.date) -> Iterator[Comment]:
    for file in files:
        for written in file.comments:
            expires = written.ignore.expires
            expired = expires is not None and expires < today
            yield Comment(written.ignore, written.place, written.alone, expired, set())


def _concerns(entry: FileIgnore, finding: Finding, rule: Rule) -> bool:
    from pathspec import GitIgnoreSpec

    if not rank(rule, entry.rules):
        return False
    return GitIgnoreSpec.from_lines([entry.pattern]).match_file(finding.primary.file)
