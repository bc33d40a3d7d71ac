"""`agentcheck scan --fix` and `--diff`: carry fixes out, or show what they would change."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from agentcheck.cli.audit import View, asking, audited, check_view, shown
from agentcheck.cli.output import say, say_bytes
from agentcheck.model.errors import UsageError
from agentcheck.model.verdict import fails, open_findings

if TYPE_CHECKING:
    from agentcheck.config import Settings
    from agentcheck.fix import Folder, OneFile, Plan
    from agentcheck.model.finding import Finding
    from agentcheck.model.report import Report
    from agentcheck.run import Request

ROUNDS = 10
"""How often a scan is repeated for fixes that touched the same lines as others."""


class Wish(NamedTuple):
    """What is to be done about findings that have a fix."""

    fix: bool = False
    diff: bool = False
    unsafe: bool = False


def check_wish(wish: Wish, view: View, *, stdin: bool) -> None:
    """Raise UsageError for flags that contradict each other or do nothing."""
    if wish.unsafe and not (wish.fix or wish.diff):
        raise UsageError("--unsafe-fixes chooses what is mended; add --fix or --diff")
    spoken = view.statistics or any(output.path is None for output in view.outputs)
    if wish.diff and (view.outputs or view.statistics):
        raise UsageError("--diff prints changes and no report; leave the report's options out")
    if wish.fix and stdin and spoken:
        raise UsageError("--fix with - prints the mended source; give the report an --output-file")


def mend(request: Request, settings: Settings, view: View, wish: Wish) -> int:
    """Do what is wished; the exit code of --fix is that of a scan afterwards, --diff's 1 where
    something would change."""
    check_view(view)
    source = _source(request)
    request = asking(request, view)
    if wish.diff:
        return _show(request, settings, view, wish, source)
    return _Mending(request, settings, view, wish, source).run()


def _source(request: Request) -> Folder | OneFile:
    from pathlib import Path

    from agentcheck.fix import Folder, OneFile
    from agentcheck.source.discover import root_of
    from agentcheck.source.errors import SourceError

    if request.stdin is not None:
        return OneFile(request.stdin)
    try:
        return Folder(root_of([Path(path) for path in request.paths]))
    except SourceError as error:
        raise UsageError(f"{error}; check the path") from None


def _show(
    request: Request, settings: Settings, view: View, wish: Wish, source: Folder | OneFile
) -> int:
    from agentcheck.fix import diff_of, plan

    report = audited(request, settings, quiet=view.quiet)
    made = plan(open_findings(report), source.read, unsafe=wish.unsafe)
    diff = diff_of(made.changed)
    if sys.stdout.isatty():
        from agentcheck.report.escape import visible

        lines = diff.decode("utf-8", "replace").splitlines()
        say("".join(f"{visible(line.expandtabs())}\n" for line in lines))
    else:
        say_bytes(diff)
    if not view.quiet:
        _tell("Would fix", len(made.fixed) + made.later, made)
    return 1 if made.changed and not view.exit_zero else 0


class _Mending:
    """One `scan --fix`: rounds of scanning and mending until nothing more can be done."""

    def __init__(
        self, request: Request, settings: Settings, view: View, wish: Wish, source: Folder | OneFile
    ) -> None:
        self._request = request
        self._settings = settings
        self._view = view
        self._wish = wish
        self._source = source
        self._done: set[str] = set()

    def run(self) -> int:
        for _ in range(ROUNDS):
            report = self._scan()
            made = self._round(report)
            if not made.changed:
                break
        else:
            report = self._scan()
            made = self._round(report, dry=True)
        return self._finish(report, made)

    def _scan(self) -> Report:
        return audited(self._request, self._settings, quiet=self._view.quiet)

    def _round(self, report: Report, *, dry: bool = False) -> Plan:
        """Mend what is left of the findings; one that was mended before is not mended again."""
        from msgspec.structs import replace

        from agentcheck.fix import OneFile, plan

        fresh = [f for f in open_findings(report) if f.fingerprint not in self._done]
        made = plan(fresh, self._source.read, unsafe=self._wish.unsafe)
        if dry:
            return replace(made, changed=(), fixed=())
        made = _written(made, self._source)
        self._done |= {finding.fingerprint for finding in made.fixed}
        if isinstance(self._source, OneFile):
            self._request = replace(self._request, stdin=self._source.data)
        return made

    def _finish(self, report: Report, made: Plan) -> int:
        from agentcheck.fix import OneFile

        remaining = {finding.fingerprint for finding in open_findings(report)}
        if not self._view.quiet:
            _tell("Fixed", len(self._done - remaining), made)
        if isinstance(self._source, OneFile):
            say_bytes(self._source.data)
            if not self._view.outputs:
                return int(fails(report, self._settings.fail_on) and not self._view.exit_zero)
        return shown(report, self._settings, self._view._replace(mended=True))


def _written(made: Plan, source: Folder | OneFile) -> Plan:
    """The plan with its files written; what could not be written is left."""
    from msgspec.structs import replace

    from agentcheck.fix import Left, Unfixable

    refused: dict[str, str] = {}
    for one in made.changed:
        try:
            source.write(one.file, one.before, one.after)
        except Unfixable as reason:
            refused[one.file] = str(reason)
    left = [Left(file, why) for file, why in refused.items()]
    fixed = tuple(f for f in made.fixed if not _concerns(f, refused))
    changed = tuple(one for one in made.changed if one.file not in refused)
    return replace(made, changed=changed, fixed=fixed, left=tuple(sorted((*made.left, *left))))


def _concerns(finding: Finding, files: Iterable[str]) -> bool:
    edited = {edit.file for edit in finding.fix.edits} if finding.fix else set()
    return not edited.isdisjoint(files)


def _tell(what: str, count: int, made: Plan) -> None:
    """Say on stderr how many findings were mended, and of the others why not."""
    from agentcheck.report.escape import one_line

    for (file, why), times in sorted(Counter((one.file, one.why) for one in made.left).items()):
        often = f" ({times} findings)" if times > 1 else ""
        sys.stderr.write(f"agentcheck: not fixed: {one_line(f'{file}: {why}')}{often}\n")
    more = f" ({made.unsafe} more with --unsafe-fixes)" if made.unsafe else ""
    noun = "finding" if count == 1 else "findings"
    sys.stderr.write(f"{what} {count} {noun}{more}\n")
