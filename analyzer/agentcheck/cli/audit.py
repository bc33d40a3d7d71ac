"""What commands do alike: run with a sign of life, report, and choose the exit code."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from agentcheck.cli.output import DEFAULT, Output, check_color, check_formats, emit, say
from agentcheck.cli.progress import progress
from agentcheck.model.errors import UsageError
from agentcheck.model.verdict import fails, open_findings

if TYPE_CHECKING:
    from agentcheck.config import Settings
    from agentcheck.model.report import Report
    from agentcheck.run import Request

DRAWN = frozenset({"html", "markdown"})
"""The formats that show the agent graph."""
GLANCED = frozenset({"html", "markdown", "json"})
"""The formats that show what recorded runs hold, and the workflows of code."""


class View(NamedTuple):
    """How a person wants to see a report, and what its exit code is for."""

    outputs: Sequence[Output] = ()
    color: str = "auto"
    statistics: bool = False
    quiet: bool = False
    verbose: bool = False
    exit_zero: bool = False
    summary: bool = False
    junit: str | None = None
    mended: bool = False
    what_if: bool = False


def audit(request: Request, settings: Settings, view: View) -> int:
    """Run, write every report, and give the exit code: 1 where a finding is at `fail_on`."""
    from msgspec.structs import replace

    check_view(view)
    request = replace(asking(request, view), glance=view.summary or _glanced(view))
    return shown(audited(request, settings, quiet=view.quiet), settings, view)


def asking(request: Request, view: View) -> Request:
    """The request with what the formats of its reports show besides findings."""
    from msgspec.structs import replace

    from agentcheck.report import WITH_TESTS

    forms = {output.form for output in view.outputs}
    tests = not forms.isdisjoint(WITH_TESTS)
    return replace(request, drawn=not forms.isdisjoint(DRAWN), traced=_glanced(view), tests=tests)


def _glanced(view: View) -> bool:
    return any(output.form in GLANCED for output in view.outputs)


def shown(report: Report, settings: Settings, view: View) -> int:
    """Write every report that was asked for, and give the exit code."""
    look: dict[str, Any] = {
        "color": view.color,
        "verbose": view.verbose,
        "summary": view.summary,
        "hint": not view.mended,
    }
    if view.statistics:
        say(statistics_text(report))
        emit(report, _parts(report, view), **look)
    elif not view.outputs and (open_findings(report) or _wanted(report, view)):
        emit(report, [Output(DEFAULT, None)], **look)
    where = placed(report) if view.outputs else {}
    emit(report, view.outputs, **look, **where, **_manuals(view))
    if view.junit is not None:
        emit(report, [Output("junit-cases", view.junit)])
    return 1 if (fails(report, settings.fail_on) and not view.exit_zero) or _missed(report) else 0


def _manuals(view: View) -> dict[str, Any]:
    """What each rule says of itself, for the format that carries it."""
    if not any(output.form == "sarif" for output in view.outputs):
        return {}
    from agentcheck.report.rule_page import rule_page
    from agentcheck.run.select import known_rules

    return {"manuals": tuple((rule.name, rule_page(rule, ())) for rule in known_rules())}


def _missed(report: Report) -> bool:
    """Whether a golden case failed; `--exit-zero` is about findings."""
    return report.expectations is not None and report.expectations.failed


def _wanted(report: Report, view: View) -> bool:
    """Whether a report without findings is shown."""
    return not view.quiet or view.summary or view.what_if or _missed(report)


def _parts(report: Report, view: View) -> list[Output]:
    """What is printed below statistics, where it was asked for: runs, answers and cases."""
    runs = [Output("runs", None)] if view.summary else []
    runs += [Output("what-if", None)] if view.what_if else []
    return runs + ([Output("cases", None)] if report.expectations is not None else [])


def check_view(view: View) -> None:
    """Raise UsageError for flags that contradict each other and for unknown words."""
    check_color(view.color)
    check_formats(view.outputs)
    if view.quiet and view.verbose:
        raise UsageError("--quiet and --verbose contradict each other; use one")
    if view.statistics and any(output.path is None for output in view.outputs):
        raise UsageError("--statistics and --output-format both go to stdout; add an --output-file")


def audited(request: Request, settings: Settings, *, quiet: bool) -> Report:
    """The report, with progress on a terminal and a line on stderr for each rule that failed."""
    from agentcheck.run import run

    with progress(quiet=quiet) as tell:
        report = run(request, settings, tell)
    for skipped in report.skipped:
        if skipped.file.startswith("rule ") and not quiet:
            sys.stderr.write(f"agentcheck: warning: {skipped.file}: {skipped.why}\n")
    return report


def placed(report: Report) -> dict[str, str]:
    """Where the scanned folder stands in its repository, as the options of reports have it."""
    from msgspec.structs import asdict

    from agentcheck.run.remote import whereabouts
    from agentcheck.source.discover import root_of

    if not report.target.paths:
        return {}
    return asdict(whereabouts(root_of([Path(path) for path in report.target.paths])))


def statistics_text(report: Report) -> str:
    """How often each rule fired, most often first: count, code, name, title, and of how many
    findings there is a fix."""
    from agentcheck.report.words import can_be_fixed

    findings = open_findings(report)
    counts = Counter(f.rule for f in findings)
    fixable = Counter(f.rule for f in findings if can_be_fixed(f))
    asked = {q.rule: q for q in report.questions}
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return "".join(
        f"{count:>6}  {asked[rule].code}  {rule:<28}  {asked[rule].title}"
        f"{f' ({fixable[rule]} fixable)' if fixable[rule] else ''}\n"
        for rule, count in rows
    )
