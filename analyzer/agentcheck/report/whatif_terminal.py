"""Answers to "what if" on a terminal: figures with what they rest on, then tables, then gaps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from agentcheck.model.pattern import lazy_re
from agentcheck.model.report import Report
from agentcheck.model.whatif import Answer, Column, Figure, Table
from agentcheck.model.whatif_report import WhatIf
from agentcheck.report import whatif_words as w
from agentcheck.report.canvas import Canvas, clipped, ending, filled, wrap
from agentcheck.report.escape import one_line
from agentcheck.report.options import Options
from agentcheck.report.words import plural

_SOFT, _HEAD = "dim", "bold"
_COLUMN = 13
_ROWS = 40
_MORE = lazy_re(r"(.*) and ([\d,]+) more")


def page(answers: WhatIf, options: Options) -> str:
    """Every answer, and what could not be read."""
    canvas = Canvas(options)
    for answer in answers.answers:
        draw_answer(canvas, answer, verbose=options.verbose)
    for item in answers.skipped:
        canvas.flow((("skipped ", "yellow"), (one_line(f"{item.file}: {item.why}"), "")), hang=4)
    canvas.flow(((_total(answers), _HEAD),), hang=2)
    return canvas.text()


def part(report: Report, options: Options) -> str:
    """The answers of a report, alone."""
    canvas = Canvas(options)
    for answer in report.what_if:
        draw_answer(canvas, answer, verbose=options.verbose)
    return canvas.text()


def draw_answer(canvas: Canvas, answer: Answer, *, verbose: bool = False) -> None:
    """One answer. `verbose` names more of the records, and how the columns come about."""
    canvas.flow(((one_line(f"{answer.title}: {answer.question}"), _HEAD),), hang=2)
    if answer.settings:
        canvas.flow((("  with ", _SOFT), (one_line(w.settings(answer)), _SOFT)), hang=4)
    canvas.line()
    for figure in answer.figures:
        _figure(canvas, figure, 12 if verbose else 1)
    canvas.line()
    for table in answer.tables:
        _table(canvas, table, verbose=verbose)
    for note in answer.notes:
        canvas.flow((("  - ", ""), (one_line(note), "")), hang=4)
    _open(canvas, answer)


def _figure(canvas: Canvas, figure: Figure, most: int) -> None:
    style = "yellow" if figure.value is None or figure.at_least else ""
    canvas.flow((("  ", ""), (one_line(f"{figure.name}: {w.shown(figure)}"), style)), hang=6)
    rests = w.basis(figure, most)
    told = ", from ".join(filter(None, (w.way(figure), rests)))
    if told:
        canvas.flow((("      ", ""), (one_line(told), _SOFT)), hang=6)


def _table(canvas: Canvas, table: Table, *, verbose: bool) -> None:
    if not table.rows:
        return
    columns = w.columns(table)
    rows = [w.cells(table, row) for row in table.rows[:_ROWS]]
    widths = _widths(canvas, columns, rows)
    canvas.line((one_line(table.title), _HEAD))
    if table.says:
        canvas.flow((("  ", ""), (one_line(table.says), _SOFT)), hang=2)
    _row(canvas, columns, [column.name for column in columns], widths, _SOFT)
    for row in rows:
        _row(canvas, columns, row, widths, "")
    more = table.more + len(table.rows) - len(rows)
    if more:
        canvas.line((f"and {more:,} more", _SOFT))
    for column in w.columns_how(table.columns) if verbose else ():
        canvas.flow((("  ", ""), (one_line(f"{column.name}: {column.how}"), _SOFT)), hang=4)
    canvas.line()


def _widths(canvas: Canvas, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    """Cells for each column: numbers get what they need, texts share what is left."""
    longest = [
        max([len(column.name), *(len(one_line(row[at])) for row in rows)]) + 2
        for at, column in enumerate(columns)
    ]
    texts = [at for at, column in enumerate(columns) if not w.is_number(column)]
    numbers = sum(size for at, size in enumerate(longest) if at not in texts)
    room = max(canvas.width - numbers, _COLUMN * len(texts))
    for left, at in enumerate(sorted(texts, key=lambda at: longest[at])):
        longest[at] = min(longest[at], room // (len(texts) - left))
        room -= longest[at]
    return longest


def _row(
    canvas: Canvas,
    columns: Sequence[Column],
    row: Sequence[str],
    widths: Sequence[int],
    style: str,
) -> None:
    parts = [
        _parts(column, one_line(text), max(width - 2, 1))
        for column, text, width in zip(columns, row, widths, strict=True)
    ]
    for line in zip_longest(*parts, fillvalue=""):
        made = [
            filled(text, max(width - 2, 1), right=w.is_number(column))
            for column, text, width in zip(columns, line, widths, strict=True)
        ]
        canvas.line(("  ".join(made).rstrip(), style))


def _parts(column: Column, text: str, width: int) -> list[str]:
    """A cell in the lines that it takes: texts in two at most, of a place its end."""
    if column is w.WHERE:
        return [_place(text, width)]
    if w.is_number(column):
        return [text]
    first, *rest = wrap(text, width, width)
    return [first, clipped(" ".join(rest), width)] if rest else [first]


def _place(text: str, width: int) -> str:
    """The end of a place, and how many more there are in short: that is what tells rows apart."""
    first, more = match.groups() if (match := _MORE.fullmatch(text)) else (text, "")
    told = f" +{more}" if more else ""
    return ending(first, max(width - len(told), 1)) + told


def _open(canvas: Canvas, answer: Answer) -> None:
    canvas.groups(w.opened(answer))
    canvas.line()


def _total(answers: WhatIf) -> str:
    asked = plural(len(answers.answers), "answer")
    lost = f", {len(answers.skipped):,} skipped" if answers.skipped else ""
    return f"{asked} from {plural(answers.runs, 'recorded run')}{lost}"
