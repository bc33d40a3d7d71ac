"""Words and counts that several formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from agentcheck.model.assessment import Challenge, CodeEvidence, Evidence, TraceEvidence
from agentcheck.model.card import PRIORITIES, SEVERITIES
from agentcheck.model.finding import Finding
from agentcheck.model.fix import Fix
from agentcheck.model.report import Asked, Note, Report, Target
from agentcheck.report.escape import visible

_SUPPRESSED = {"ignore": "ignored", "baseline": "in the baseline", "config": "set aside"}


def plural(count: int, noun: str, many: str = "") -> str:
    """`1 file`, `3 files`, `31,204 lines`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def listed(parts: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *head, last = list(parts) or [""]
    return f"{', '.join(head)} and {last}" if head else last


def shown(report: Report) -> tuple[Finding, ...]:
    """The findings that are not suppressed, in report order."""
    return tuple(finding for finding in report.findings if finding.suppressed is None)


def place(evidence: Evidence) -> str:
    """`path:line:column`, `notebook.ipynb:cell 3:line:column`, or `runs.jsonl#3/12`."""
    if isinstance(evidence, TraceEvidence):
        return visible(f"{evidence.file}#{evidence.run}/{evidence.record}")
    cell = "" if evidence.cell is None else f"cell {evidence.cell}:"
    return visible(f"{evidence.file}:{cell}{evidence.line}:{evidence.column}")


def code_place(finding: Finding) -> CodeEvidence | None:
    """The code a reviewer is led to: the primary line, else the first; None for a run alone."""
    code = [item for item in finding.evidence if isinstance(item, CodeEvidence)]
    return next((item for item in code if item.role == "primary"), code[0] if code else None)


def rooted(prefix: str, file: str) -> str:
    """A file of the scanned folder as the repository names it."""
    return f"{prefix.strip('/')}/{file}" if prefix.strip("/") else file


def challenged(challenge: Challenge) -> str:
    """`upheld (looked for: ...)`."""
    looked_for = "; ".join(challenge.looked_for)
    return f"{challenge.outcome} (looked for: {looked_for})" if looked_for else challenge.outcome


def ran(finding: Finding) -> str:
    """What running its test said: `fails today: ... (test_x.py)`; nothing where none was run."""
    run = finding.run
    if run is None:
        return ""
    why = f": {run.why}" if run.why else ""
    said = {
        "fails": f"fails today{why}",
        "passes": "contradicted: its test passes on the code as it is",
        "not-shown": f"not shown{why}",
    }[run.verdict]
    return f"{said} ({run.test})"


def verified(report: Report) -> str:
    """`3 fail today, 1 is contradicted, 2 not shown; 1 test of a finding that is gone passes`."""
    made = report.verified
    if made is None:
        return ""
    parts = [f"{made.fails} {'fails' if made.fails == 1 else 'fail'} today"]
    parts += [f"{made.passes} contradicted"] if made.passes else []
    parts += [f"{made.not_shown} not shown"] if made.not_shown else []
    gone = Counter(one.verdict for one in made.settled)
    after = [
        f"{plural(count, 'test')} of findings that are gone {verb}"
        for verdict, verb in (
            ("passes", "pass"),
            ("fails", "still fail"),
            ("not-shown", "show nothing"),
        )
        if (count := gone[verdict])  # type: ignore[index]
    ]
    return "; ".join([", ".join(parts), *after])


def by_severity(findings: Iterable[Finding]) -> str:
    """`1 high, 2 medium`, leaving out what is not there."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(f"{counts[name]} {name}" for name in SEVERITIES if counts[name])


def by_priority(findings: Iterable[Finding]) -> str:
    """`8 fix now, 0 investigate next, 14 fix when, 0 leave`, every one named."""
    counts = Counter(finding.priority for finding in findings)
    return ", ".join(f"{counts[name]} {name.replace('-', ' ')}" for name in PRIORITIES)


def unseen(report: Report) -> str:
    """`2 ignored, 5 in the baseline, 11 below the shown level`, or nothing."""
    by: Counter[str] = Counter(
        finding.suppressed.by for finding in report.findings if finding.suppressed
    )
    parts = [f"{by[key]} {word}" for key, word in _SUPPRESSED.items() if by[key]]
    rest = report.summary.suppressed - by.total()
    parts += [f"{rest} suppressed"] if rest > 0 else []
    hidden, outside = report.summary.hidden, report.summary.outside
    parts += [f"{hidden} below the shown level"] if hidden else []
    return ", ".join(parts + ([f"{outside} untouched since then"] if outside else []))


def can_be_fixed(finding: Finding) -> bool:
    """Whether a finding has a fix that can be carried out; notebooks are not changed."""
    fix = finding.fix
    return fix is not None and not any(edit.file.endswith(".ipynb") for edit in fix.edits)


def fixable(report: Report) -> str:
    """`3 fixable with --fix, 7 more with --unsafe-fixes`, or nothing."""
    able = filter(can_be_fixed, shown(report))
    count = Counter(finding.fix.applicability for finding in able if finding.fix)
    safe, unsafe = count["safe"], count["unsafe"]
    if not unsafe:
        return f"{safe} fixable with --fix" if safe else ""
    if not safe:
        return f"{unsafe} fixable with --fix --unsafe-fixes"
    return f"{safe} fixable with --fix, {unsafe} more with --unsafe-fixes"


def fix_option(fix: Fix) -> str:
    """The options that carry a fix out."""
    return "--fix" if fix.applicability == "safe" else "--fix --unsafe-fixes"


def owned(finding: Finding) -> str:
    """The owner and the file that defines it, names between backticks: "`run` in `core.py`"."""
    owner, file = finding.owner, finding.owner_file
    if "`" in owner or not (file or owner == finding.subject or "/" in owner):
        return owner
    return f"`{owner}` in `{file}`" if file and "`" not in file else f"`{owner}`"


def compared(report: Report) -> str:
    """`3 new, 2 fixed, 41 unchanged` against the baseline, or nothing."""
    found = report.summary.baseline
    if found is None:
        return ""
    return f"{found.new} new, {found.fixed} fixed, {found.unchanged} unchanged"


def answered(asked: Asked) -> str:
    """What was found about something that was asked: `2 findings: F1, F3`."""
    if asked.findings:
        return f"{plural(len(asked.findings), 'finding')}: {', '.join(asked.findings)}"
    if not asked.rules:
        return "nothing found, and no rule that was asked speaks of it"
    return f"nothing found by {listed(asked.rules)}"


def noted(note: Note) -> str:
    """Where a note stands, as `place` tells of evidence."""
    cell = "" if note.cell is None else f"cell {note.cell}:"
    return visible(f"{note.file}:{cell}{note.line}:{note.column}")


def scanned(report: Report) -> str:
    """`124 files, 9 agents, 31 tools in 1.8 s, 3 skipped`."""
    target, profile, summary = report.target, report.profile, report.summary
    parts = [plural(target.runs, "recorded run")] if target.traces or target.runs else []
    if target.files or not parts:  # recorded runs can be audited alone
        agents, tools = plural(profile.agents, "agent"), plural(profile.tools, "tool")
        parts = [files_of(target), agents, tools, *parts]
    took = "" if summary.seconds is None else f" in {summary.seconds:.1f} s"
    lost = len(report.skipped) or summary.skipped
    return ", ".join(parts) + took + (f", {lost:,} skipped" if lost else "")


def files_of(target: Target) -> str:
    """`536 files (384 of tests left aside)`."""
    aside = f" ({target.tests:,} of tests left aside)" if target.tests else ""
    return plural(target.files, "file") + aside


def total(report: Report) -> str:
    """The last line of every report for a terminal: what was found in what was scanned."""
    findings, aside = shown(report), unseen(report)
    if not findings:
        return _clean(report)
    head = f"{plural(len(findings), 'finding')}: {by_severity(findings)}"
    return f"{head}{f' ({aside})' if aside else ''}{_against(report)}; {scanned(report)}"


def _against(report: Report) -> str:
    since = f"; changed since {visible(report.target.since)}" if report.target.since else ""
    known = compared(report)
    return since + (f"; against the baseline: {known}" if known else "")


def _clean(report: Report) -> str:
    aside = unseen(report)
    profile = report.profile
    nothing = not (profile.agents or profile.tools or profile.model_calls or profile.loops)
    blind = "; no agent code was recognised in it" if nothing and not report.target.runs else ""
    head = f"No findings{f' to show ({aside})' if aside else ''}"
    asked = plural(len(report.questions), "question")
    return f"{head}{_against(report)}: {asked} asked of {scanned(report)}{blind}{_open(report)}"


def _open(report: Report) -> str:
    """How many answers about recorded runs alone are none."""
    counts = report.summary.verdicts
    blind = counts.get("cannot-tell", 0)
    if report.target.files or not blind:
        return ""
    told = plural(sum(counts.values()), "answer")
    return f"; {blind:,} of {told} cannot be told (--summary says why)"
