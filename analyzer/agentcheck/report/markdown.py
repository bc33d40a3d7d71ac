"""The audit as Markdown: for a pull request, or to be read as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from agentcheck.model.report import Report
from agentcheck.report import cases_words, runs_words, words
from agentcheck.report.markdown_templates import environment
from agentcheck.report.options import Options
from agentcheck.report.overview import overview, urgent
from agentcheck.report.tally import Row

if TYPE_CHECKING:
    from jinja2 import Environment

# Hundredths of the room that a section is sure of; what is left goes to the first in need.
_SHARES = {
    "details": 45,
    "listing": 14,
    "cases": 5,
    "runs": 8,
    "questions": 16,
    "aside": 4,
    "unknown": 4,
    "skipped": 4,
}
_NOTES = 900
_RUNS = 3
"""How many runs are told step by step."""


Blocks: TypeAlias = dict[str, tuple[Sequence[Any], Callable[[Any], str]]]
"""Per section its items, and what renders one."""


class Section(Struct, frozen=True):
    """Blocks of one kind that are shown, and how many more there are."""

    blocks: tuple[str, ...] = ()
    more: int = 0


def audit(report: Report, options: Options) -> str:
    """The audit, under `options.limit` characters; what is dropped is counted where it is missing.

    Dropping starts at the end of each section, and every section keeps a share of the room.
    """
    templates = environment(options)
    page = templates.get_template("audit.md.j2")
    context = overview(report)
    context["urgent"] = urgent(context["findings"][1:])
    context["told"] = report.expectations and cases_words.counted(report.expectations)
    empty = {name: Section() for name in _SHARES}
    head = len(page.render(context, **empty)) + _NOTES
    room = None if options.limit is None else max(options.limit - head, 0)
    blocks = _blocks(templates, report, context["rows"])
    return page.render(context, **_fit(blocks, room))


def _fit(blocks: Blocks, room: int | None) -> dict[str, Section]:
    """As many first blocks of each section as fit into `room` characters, None for all."""
    if room is None:
        return {name: Section(tuple(map(one, items))) for name, (items, one) in blocks.items()}
    parts = {name: _up_to(room, *blocks[name]) for name in _SHARES}
    needs = {name: sum(map(len, section.blocks)) for name, section in parts.items()}
    rooms = {name: min(need, room * _SHARES[name] // 100) for name, need in needs.items()}
    spare = room - sum(rooms.values())
    for name, need in needs.items():
        extra = min(spare, need - rooms[name])
        rooms[name] += extra
        spare -= extra
    return {name: _first(section, rooms[name]) for name, section in parts.items()}


def _up_to(room: int, items: Sequence[Any], one: Callable[[Any], str]) -> Section:
    """Blocks until they are more than enough, and how many further ones there would be."""
    kept: list[str] = []
    used = 0
    for item in items:
        if used > room:
            break
        kept.append(one(item))
        used += len(kept[-1])
    return Section(tuple(kept), len(items) - len(kept))


def _first(section: Section, room: int) -> Section:
    ends = accumulate(map(len, section.blocks))
    count = sum(1 for end in ends if end <= room)
    return Section(section.blocks[:count], section.more + len(section.blocks) - count)


def _blocks(templates: Environment, report: Report, made: tuple[Row, ...]) -> Blocks:
    """What may be dropped, in the order of the page, each block as it is printed."""
    parts: Any = templates.get_template("audit_parts.md.j2").module
    findings = words.shown(report)
    titles = Counter(finding.title for finding in findings)
    seen: Any = templates.get_template("audit_runs.md.j2").module
    cases = report.expectations.cases if report.expectations else ()
    aside = [finding for finding in report.findings if finding.suppressed]
    unknown = [(row, item) for row in made for item in row.unknown]
    return {
        "listing": (findings, lambda item: parts.listed(item, titles[item.title] > 1)),
        "details": (findings, parts.finding),
        "cases": (cases, lambda item: seen.case(item, cases_words.place)),
        "runs": (list(_told(report, seen)), lambda part: part()),
        "questions": (made, parts.question),
        "aside": (aside, parts.aside),
        "unknown": (unknown, lambda pair: parts.unknown(*pair)),
        "skipped": (report.skipped, parts.skipped),
    }


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
