"""Recorded runs on a terminal: a timeline for each of the first, then counts over all of them."""

from __future__ import annotations

from agentcheck.model.report import Report
from agentcheck.model.runs import RunsSeen, Step, Timeline
from agentcheck.report import runs_words as w
from agentcheck.report.canvas import Canvas, clipped, filled
from agentcheck.report.escape import one_line
from agentcheck.report.options import Options
from agentcheck.report.words import plural

_COLORS = {"ok": "green", "bad": "bold red", "none": "yellow", "unclear": ""}
_CLOCK, _LABEL, _NUMBER = 9, 20, 13
_SOFT = "dim"


def summary(report: Report, options: Options) -> str:
    """What the runs show, alone."""
    canvas = Canvas(options)
    if report.runs is not None:
        draw_runs(canvas, report.runs)
    return canvas.text()


def draw_runs(canvas: Canvas, seen: RunsSeen) -> None:
    """The timelines, the tables, what repeats, and what the runs cannot prove."""
    for line in seen.timelines:
        _timeline(canvas, line)
    if seen.more.get("runs"):
        canvas.line((f"and {plural(seen.more['runs'], 'more run')}, counted below", _SOFT))
        canvas.line()
    _totals(canvas, seen)
    for table in w.tables(seen):
        _table(canvas, table)
    _repeats(canvas, seen)
    _open(canvas, seen)


def _timeline(canvas: Canvas, line: Timeline) -> None:
    canvas.flow(((one_line(w.head(line)), "bold"),), hang=2)
    canvas.flow(
        (("  ", ""), (one_line(f"{line.format}; {w.amounts(line.amounts)}"), _SOFT)), hang=2
    )
    for number, step in enumerate(line.steps):
        if line.left_out and number == line.gap:
            canvas.line((f"  {'':{_CLOCK}}... {plural(line.left_out, 'step')} not shown", _SOFT))
        _step(canvas, step)
    if line.unread:
        canvas.line((f"  {plural(line.unread, 'record')} could not be read", "yellow"))
    canvas.line()


def _step(canvas: Canvas, step: Step) -> None:
    label = filled(one_line(w.label(step)), _LABEL)
    facts = w.facts(step)
    room = canvas.width - 2 - _CLOCK - 2 - _LABEL - 1
    text = one_line(w.said(step))
    shown = clipped(text, max(room - len(facts) - 2, 8)) if facts else clipped(text, max(room, 8))
    canvas.line(
        (f"{filled(w.clock(step.at), _CLOCK, right=True)}  ", _SOFT),
        (f"{w.shape(step)} ", _COLORS[step.outcome]),
        (f"{label} " if shown else label.rstrip(), _COLORS[step.outcome]),
        (shown, ""),
        (f"  {facts}" if facts else "", _SOFT),
    )


def _totals(canvas: Canvas, seen: RunsSeen) -> None:
    told = plural(seen.runs, "recorded run")
    canvas.flow(((f"{told}: ", "bold"), (one_line(w.counts(seen.formats)), "")), hang=2)
    canvas.flow((("  ended: ", _SOFT), (one_line(w.counts(seen.ends)), "")), hang=4)
    canvas.flow((("  used: ", _SOFT), (w.amounts(seen.amounts), "")), hang=4)
    canvas.line()


def _table(canvas: Canvas, table: w.Table) -> None:
    columns = [i for i in range(1, len(table.head)) if any(row[i] for row in table.rows)]
    name = max(canvas.width - _NUMBER * len(columns), 16)
    longest = max(len(one_line(row[0])) for row in table.rows)
    name = min(name, max(longest, len(table.title)) + 1)
    heads = "".join(filled(table.head[i], _NUMBER, right=True) for i in columns)
    canvas.line((filled(table.title, name), "bold"), (heads, _SOFT))
    for row in table.rows:
        numbers = "".join(filled(row[i], _NUMBER, right=True) for i in columns)
        canvas.line((filled(one_line(row[0]), name), ""), (numbers.rstrip(), ""))
    if table.more:
        canvas.line((f"and {table.more:,} more", _SOFT))
    canvas.line()


def _repeats(canvas: Canvas, seen: RunsSeen) -> None:
    if seen.repeats:
        canvas.line(("Again and again", "bold"))
        for row in seen.repeats:
            canvas.flow((("  - ", ""), (one_line(w.repeat(row)), "")), hang=4)
        if seen.more.get("repeats"):
            canvas.line((f"  and {seen.more['repeats']:,} more", _SOFT))
        canvas.line()


def _open(canvas: Canvas, seen: RunsSeen) -> None:
    if seen.uncalled:
        names = ", ".join(row.name for row in seen.uncalled)
        more = seen.more.get("uncalled", 0)
        text = one_line(names) + (f" and {more:,} more" if more else "")
        canvas.flow((("Offered and never called: ", "bold"), (text, "")), hang=2)
        canvas.line()
    found = w.opened(seen)
    if not found:
        return
    canvas.line(("What these runs cannot prove", "bold"))
    canvas.groups(found)
    canvas.line()
