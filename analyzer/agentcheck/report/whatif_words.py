"""Words for answers to "what if" that the terminal, Markdown and HTML share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentcheck.model.event import Source
from agentcheck.model.whatif import Answer, Cell, Column, Figure, Row, RunSpan, Table
from agentcheck.report.runs_words import opened_of
from agentcheck.report.words import plural

_BARE = frozenset({"text", "points", "ratio"})
_WAYS = {"share": "{0} divided by {1}", "difference": "{0} less {1}"}
UNKNOWN = "cannot tell"
WHERE = Column("Where")
_FEW = 2


def shown(figure: Figure) -> str:
    """`12 calls`, `48.0 %`, `at least $0.21`, or `cannot tell`."""
    if figure.value is None:
        return UNKNOWN
    told = value(figure.value, figure.unit)
    if figure.unit not in _BARE and isinstance(figure.value, int):
        told = plural(figure.value, figure.unit) if _is_noun(figure.unit) else told
    elif _is_noun(figure.unit):
        told = f"{told} {figure.unit}s"
    return f"at least {told}" if figure.at_least else told


def value(given: Cell, unit: str) -> str:
    """A cell as it is shown under a heading that names its unit."""
    if given is None:
        return ""
    if isinstance(given, Figure):
        return shown(given) if given.at_least or given.value is None else value(given.value, unit)
    if isinstance(given, str):
        return given
    match unit:
        case "usd":
            return f"-{_money(-given)}" if given < 0 else _money(given)
        case "share":
            return f"{given:.1%}".replace("%", " %")
        case "ratio":
            return f"{given:,.3f}"
        case "seconds":
            return f"{given:,.1f} s"
    return f"{given:,}" if isinstance(given, int) else f"{given:,.1f}"


def way(figure: Figure) -> str:
    """How a figure comes about, and why it is not known where it is not."""
    told = figure.how
    if figure.by in _WAYS and len(figure.terms) == 2:
        formula = _WAYS[figure.by].format(*(f'"{term}"' for term in figure.terms))
        told = f"{told}: {formula}" if told else formula
    return "; ".join(filter(None, (told, figure.unknown)))


def basis(item: Figure | Row, most: int = 3) -> str:
    """Where a figure comes from: `runs.jsonl#0/3, runs.jsonl#4/9 and 10 more`."""
    places = [*map(_record, item.of), *map(_span, item.runs)]
    more = len(places) - most
    return ", ".join(places[:most]) + (f" and {more:,} more" if more > 0 else "")


def columns(table: Table) -> tuple[Column, ...]:
    """The columns of a table as text, with one for the record where each row tells of one, or of
    one and others that belong to it: then nothing in it is counted over its records."""
    placed = any(row.of for row in table.rows) and not any(row.runs for row in table.rows)
    single = all(len(row.of) <= _FEW for row in table.rows)
    told = all(column.unit in _BARE | {"seconds"} for column in table.columns)
    return (*table.columns, WHERE) if placed and (single or told) else table.columns


def cells(table: Table, row: Row, *, placed: bool = True) -> tuple[str, ...]:
    """A row in words, one for each of `columns`, or of the table's own without `placed`."""
    told = [value(cell, c.unit) for cell, c in zip(row.cells, table.columns, strict=True)]
    where = [basis(row, 1)] if placed and len(columns(table)) > len(told) else []
    return (*told, *where)


def figures(row: Row) -> list[Figure]:
    """The figures among the cells of a row."""
    return [cell for cell in row.cells if isinstance(cell, Figure)]


def rests_on_records(table: Table) -> bool:
    """Whether any row names records."""
    return any(row.of or row.runs for row in table.rows)


def holds_figures(table: Table) -> bool:
    """Whether any row has figures, each with records of its own."""
    return any(map(figures, table.rows))


def is_number(column: Column) -> bool:
    """Whether a column is set to the right."""
    return column.unit != "text"


def settings(answer: Answer) -> str:
    """`threshold 60, prices of 2026-01-01`."""
    return ", ".join(f"{name} {_setting(given)}" for name, given in answer.settings.items())


def opened(answer: Answer) -> list[tuple[str, list[str], int]]:
    """What the runs leave open, by reason: a title, sentences, and how many more there are."""
    return opened_of(answer.open)


def columns_how(columns: Iterable[Column]) -> Sequence[Column]:
    """The columns that say how they come about."""
    return [column for column in columns if column.how]


def _is_noun(unit: str) -> bool:
    return unit not in _BARE | {"usd", "share", "seconds"}


def _money(amount: float) -> str:
    return f"${amount:,.4f}" if amount < 1 else f"${amount:,.2f}"


def _setting(given: str | float) -> str:
    return f"{given:g}" if isinstance(given, float) else str(given)


def _record(source: Source) -> str:
    return f"{source.file}#{source.run}/{source.record}{source.pointer}"


def _span(span: RunSpan) -> str:
    if span.first == span.last:
        return f"{span.file}#{span.first}"
    return f"{span.file}#{span.first} to #{span.last}"
