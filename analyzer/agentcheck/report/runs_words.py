"""Words, shapes and tables about recorded runs that the terminal, Markdown and HTML share."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from agentcheck.model.runs import (
    Amounts,
    Count,
    Open,
    Repeat,
    RunsSeen,
    Spent,
    Step,
    Timeline,
    ToolUse,
)
from agentcheck.report.words import plural

SHAPES = {
    "message": "○",
    "turn": "●",
    "call": "■",
    "handoff": "→",
    "approval": "▲",
    "guardrail": "◆",
    "compaction": "▼",
    "end": "▮",
}
CROSS = "✖"
_REPEATS = {"call": "the call", "loop": "the loop", "handoffs": "the handoffs"}
_OPEN = {
    "not-carried": "What the records do not carry",
    "not-exercised": "What never happened in them",
    "not-read": "What could not be read",
}
_FEW = 30
_WHO = 24


class Table(Struct, frozen=True):
    """A table: its title, its columns (the first are names, the rest numbers), and its rows."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: int = 0


def shape(step: Step) -> str:
    """A shape that tells the kind of a step, a cross for what went wrong."""
    wrong = step.outcome == "bad" and step.what in ("call", "end")
    return (
        CROSS
        if wrong
        else "□"
        if step.what == "call" and step.outcome == "none"
        else SHAPES[step.what]
    )


def label(step: Step) -> str:
    """`call ok`, `turn 3`, `turn 3 length`, `user`."""
    if step.what == "message":
        return step.word
    if step.what == "turn":
        return f"turn {step.turn} {step.word}".rstrip()
    return "end" if step.what == "end" else f"{step.what} {step.word}".rstrip()


def facts(step: Step) -> str:
    """`50 to 9 tokens, $0.0021, 1.2 s`, what is known of it."""
    parts = [tokens(step.tokens_in, step.tokens_out), money(step.cost), seconds(step.seconds)]
    return ", ".join(filter(None, parts))


def said(step: Step) -> str:
    """The agent and the text of a step."""
    if step.what == "end":
        return f"{step.word} ({step.text})" if step.text else step.word
    if not step.agent or step.what == "handoff":
        return step.text
    who = step.agent if len(step.agent) <= _WHO else f"{step.agent[: _WHO - 1]}…"
    return f"{who}: {step.text}" if step.text else who


def head(line: Timeline) -> str:
    """`run 3 of runs.jsonl: Library desk, completed`."""
    name = "" if line.name == "run" else f" {line.name},"
    return f"run {line.run} of {line.file}:{name} {line.status}"


def amounts(used: Amounts) -> str:
    """`5 turns, 4 calls (1 failed), 1 handoff, 1,200 to 90 tokens, $0.01, 12.3 s`."""
    failed = f" ({used.failed_calls:,} failed)" if used.failed_calls else ""
    parts = [plural(used.turns, "turn"), f"{plural(used.calls, 'tool call')}{failed}"]
    parts += [plural(used.handoffs, "handoff")] if used.handoffs else []
    for name, told in (
        ("tokens", tokens(used.tokens_in, used.tokens_out)),
        ("cost", money(used.cost)),
    ):
        short = name in used.at_least and bool(told)
        parts.append(f"at least {told}" if short else told or f"{name} not known")
    parts.append(seconds(used.seconds) or "time not known")
    return ", ".join(parts)


def tokens(given: int | None, made: int | None) -> str:
    """`1,200 tokens in, 90 out`."""
    if given is None and made is None:
        return ""
    return f"{_number(given)} tokens in, {_number(made)} out"


def money(cost: float | None) -> str:
    """`$0.0123`."""
    return "" if cost is None else f"${cost:,.4f}" if cost < 1 else f"${cost:,.2f}"


def seconds(took: float | None) -> str:
    """`12.3 s`, `4 ms`."""
    if took is None:
        return ""
    if took < 0.001:
        return "under 1 ms"
    return f"{took:,.1f} s" if took >= 1 else f"{took * 1000:.0f} ms"


def clock(at: float | None) -> str:
    """When a step was, in seconds from the first."""
    return "" if at is None else f"{at:,.2f}"


def counts(rows: Iterable[Count]) -> str:
    """`12 completed, 2 max_turns`."""
    return ", ".join(f"{row.count:,} {row.name}" for row in rows)


def repeat(row: Repeat) -> str:
    """`the call lookup({"id": 9}): up to 5 times in a run, in 2 runs, first at runs.jsonl#0/3`."""
    runs = plural(row.runs, "run")
    times = f"up to {row.most:,} times, in {runs}"
    return f"{_REPEATS[row.what]} {row.name}: {times}, first at {row.place}"


def tables(seen: RunsSeen) -> tuple[Table, ...]:
    """The tables that have rows; those of tokens only where some reply tells what it used."""
    agents = seen.more.get("agents", 0)
    used: tuple[Table, ...] = (
        Table("Tokens by agent", ("Agent", *_SPENT), _spent(seen.agents), agents),
        Table("Tokens by turn", ("Turn", *_SPENT), _spent(seen.turns)),
    )
    if all(row.unknown == row.replies for row in (*seen.agents, *seen.turns)):
        rows = tuple((row.name, f"{row.replies:,}") for row in seen.agents)
        used = (Table("Replies by agent", ("Agent", "Replies"), rows, agents),)
    tools = Table("Tools", _TOOLS, tuple(map(_tool, seen.tools)), seen.more.get("tools", 0))
    return tuple(table for table in (tools, *used) if table.rows)


def opened(seen: RunsSeen) -> list[tuple[str, list[str], int]]:
    """What the runs cannot prove, by reason: a title, sentences, and how many more there are."""
    return opened_of(seen.open)


def opened_of(items: Iterable[Open]) -> list[tuple[str, list[str], int]]:
    """The same of any such items."""
    found = []
    kept = tuple(items)
    for why, title in _OPEN.items():
        texts = [item.text for item in kept if item.why == why]
        if texts:
            found.append((title, texts[:_FEW], max(len(texts) - _FEW, 0)))
    return found


_TOOLS = ("Tool", "Calls", "Runs", "Failed", "No result", "Unknown", "Result chars", "Added tokens")
_SPENT = ("Replies", "Not counted", "Tokens in", "Tokens out", "Cost")


def _tool(use: ToolUse) -> tuple[str, ...]:
    added = "" if use.added_tokens is None else f"~{use.added_tokens:,}"
    numbers = (use.calls, use.runs, use.failed, use.unanswered, use.unclear)
    return (use.name, *(f"{n:,}" if n else "" for n in numbers), f"{use.result_chars:,}", added)


def _spent(rows: Iterable[Spent]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            row.name,
            f"{row.replies:,}",
            f"{row.unknown:,}" if row.unknown else "",
            _number(row.tokens_in) if row.unknown < row.replies else "",
            _number(row.tokens_out) if row.unknown < row.replies else "",
            money(row.cost),
        )
        for row in rows
    )


def _number(count: int | None) -> str:
    return "?" if count is None else f"{count:,}"
