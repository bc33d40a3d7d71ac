"""The audit as Markdown: for a pull request, or to be read as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from agentcheck.model.report import Report
from agentcheck.report import cases_words, runs_words, whatif_words
from agentcheck.report.markdown_fit import EMPTY, Blocks, fit
from agentcheck.report.markdown_templates import environment
from agentcheck.report.options import Options
from agentcheck.report.overview import overview, urgent
from agentcheck.report.tally import Row

if TYPE_CHECKING:
    from jinja2 import Environment

_NOTHING = "not-applicable"
_NOTES = 900
# Of the whole page, for the graph: the findings need the rest.
_GRAPH_SHARE = 6
_RUNS = 3
"""How many runs are told step by step."""


def audit(report: Report, options: Options) -> str:
    """The audit, under `options.limit` characters; what is dropped is counted where it is missing.

    Acceptance tests go first, for a command writes them; then the last findings are told in short.
    """
    templates = environment(options)
    page = templates.get_template("audit.md.j2")
    context = overview(report)
    context["urgent"] = urgent(context["findings"][1:])
    context["told"] = report.expectations and cases_words.counted(report.expectations)
    context["graph"] = _graph(report, options)
    head = len(page.render(context, **EMPTY)) + _NOTES
    room = None if options.limit is None else max(options.limit - head, 0)
    tests = len(context["findings"])
    while True:
        sections = fit(_blocks(templates, report, context, tests), room)
        if not tests or not any(section.more for section in sections.values()):
            return page.render(context, **sections)
        tests //= 2


class Graph(Struct, frozen=True):
    """The agent graph as Mermaid draws it, what is in it, and what the picture leaves out."""

    text: str
    counts: str
    note: str


def _graph(report: Report, options: Options) -> Graph | None:
    if report.graph is None or not report.graph.nodes:
        return None
    from agentcheck.report.diagram import prepared
    from agentcheck.report.diagram_mermaid import MOST_TEXT, flowchart
    from agentcheck.report.diagram_words import counts

    most = MOST_TEXT if options.limit is None else options.limit // _GRAPH_SHARE
    text, note = flowchart(prepared(report.graph), min(most, MOST_TEXT))
    return Graph(text, counts(report.graph), note)


def _blocks(templates: Environment, report: Report, context: dict[str, Any], tests: int) -> Blocks:
    """What may be dropped, in the order of the page, each block as it is printed.

    The first `tests` findings come with their acceptance tests.
    """
    parts: Any = templates.get_template("audit_parts.md.j2").module
    made: tuple[Row, ...] = context["rows"]
    findings, found = context["findings"], context["found"]
    tested = {finding.id for finding in findings[:tests]}
    titles = Counter(finding.title for finding in findings)
    seen: Any = templates.get_template("audit_runs.md.j2").module
    cases = report.expectations.cases if report.expectations else ()
    aside = [finding for finding in report.findings if finding.suppressed]
    unknown = [(row, item) for row in made for item in row.unknown]
    return {
        "listing": (findings, lambda item: parts.listed(item, titles[item.title] > 1)),
        "details": (findings, lambda item: parts.finding(item, item.id in tested)),
        "short": (findings, parts.short),
        "workflows": (context["ways"], parts.way),
        "questions": (
            [row for row in made if row.verdict != _NOTHING],
            lambda row: parts.question(row, found.get(row.question.rule, ())),
        ),
        "cases": (cases, lambda item: seen.case(item, cases_words.place)),
        "runs": (list(_told(report, seen)), lambda part: part()),
        "what_if": (list(_answered(report, templates)), lambda part: part()),
        "asked": (report.asked, parts.asked),
        "notes": (report.notes, parts.note),
        "idle": ([row for row in made if row.verdict == _NOTHING], parts.idle),
        "aside": (aside, parts.aside),
        "unknown": (unknown, lambda pair: parts.unknown(*pair)),
        "skipped": (report.skipped, parts.skipped),
    }


def _answered(report: Report, templates: Environment) -> Iterator[Callable[[], str]]:
    """Answers to "what if", each in parts that are made when there is room."""
    if not report.what_if:
        return
    shown: Any = templates.get_template("whatif_parts.md.j2").module
    for answer in report.what_if:
        yield partial(shown.summary, answer, whatif_words, 3)
        yield from (partial(shown.table, table, whatif_words) for table in answer.tables)
        yield partial(shown.remarks, answer, whatif_words)


def _told(report: Report, parts: Any) -> Iterator[Callable[[], str]]:
    """What recorded runs show, in parts that are made when there is room."""
    runs = report.runs
    if runs is None:
        return
    yield partial(parts.totals, runs, runs_words)
    yield from (partial(parts.table, table) for table in runs_words.tables(runs))
    if runs.repeats:
        yield partial(parts.repeats, runs, runs_words)
    yield from (partial(parts.open, *group) for group in runs_words.opened(runs))
    yield from (partial(parts.timeline, line, runs_words) for line in runs.timelines[:_RUNS])
