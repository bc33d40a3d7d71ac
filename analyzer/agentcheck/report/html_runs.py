"""The timeline of a run as a drawing: a lane for each agent, a shape for each step."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.model.runs import Step, Timeline
from agentcheck.report import runs_words as w
from agentcheck.report.canvas import clipped
from agentcheck.report.escape import one_line

STEP, LANE, GUTTER, TOP = 24, 28, 150, 8
_LANES = 12
_NAME = 20
_R = 7
_USER = "user"


class Mark(Struct, frozen=True):
    """A shape: its outline as an SVG path, its classes, and what it is in words."""

    path: str
    look: str
    title: str


class Lane(Struct, frozen=True):
    """An agent's line."""

    name: str
    y: int


class Drawing(Struct, frozen=True):
    """All shapes of a run; sizes are in pixels."""

    width: int
    height: int
    lanes: tuple[Lane, ...]
    marks: tuple[Mark, ...]


def drawing(line: Timeline) -> Drawing:
    """The lanes and shapes of a timeline, in the order of its steps."""
    names = _lanes(line)
    rows = {name: TOP + LANE * number + LANE // 2 for number, name in enumerate(names)}
    marks = tuple(_marks(line, names, rows))
    width = GUTTER + STEP * (len(line.steps) + (1 if line.left_out else 0)) + STEP
    lanes = tuple(Lane(clipped(one_line(name), _NAME), y) for name, y in rows.items())
    return Drawing(width, TOP * 2 + LANE * len(names), lanes, marks)


def _lanes(line: Timeline) -> list[str]:
    """Who has a line: the user, then the agents; those past the last share it."""
    agents = list(dict.fromkeys(line.agents)) or ["agent"]
    if len(agents) > _LANES:
        agents = [*agents[: _LANES - 1], "(other agents)"]
    return [_USER, *(name for name in agents if name != _USER)]


def _marks(line: Timeline, names: list[str], rows: dict[str, int]) -> Iterator[Mark]:
    x, now = GUTTER + STEP // 2, names[min(1, len(names) - 1)]
    for number, step in enumerate(line.steps):
        if line.left_out and number == line.gap:
            yield Mark(_gap(x, rows), "gap", f"{line.left_out:,} steps not shown")
            x += STEP
        lane = _lane(step, now, rows)
        title = " ".join(filter(None, (w.label(step), w.said(step), w.facts(step))))
        to = _target(step, rows)
        if step.what == "handoff" and to is not None and to != lane:
            yield Mark(_arrow(x, rows[lane], rows[to]), f"handoff {step.outcome}", title)
            now = to if step.outcome != "bad" else now
        else:
            now = lane if step.agent else now
            yield Mark(_outline(step, x, rows[lane]), f"{step.what} {step.outcome}", title)
        x += STEP


def _lane(step: Step, now: str, rows: dict[str, int]) -> str:
    if step.what == "message" and step.word == "user":
        return _USER
    if step.what == "handoff":
        return _known(step.text.partition(" -> ")[0], now, rows)
    return _known(step.agent, now, rows)


def _target(step: Step, rows: dict[str, int]) -> str | None:
    if step.what != "handoff":
        return None
    return _known(step.text.partition(" -> ")[2], None, rows)


def _known(name: str | None, other: str | None, rows: dict[str, int]) -> str:
    if name in rows:
        return str(name)
    rest = "(other agents)" if "(other agents)" in rows else list(rows)[-1]
    return rest if other is None or name else other


def _outline(step: Step, x: int, y: int) -> str:
    r = _R
    if step.outcome == "bad" and step.what in ("call", "end", "turn"):
        return f"M{x - r} {y - r}L{x + r} {y + r}M{x - r} {y + r}L{x + r} {y - r}"
    match step.what:
        case "message" | "turn":
            return f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z"
        case "call":
            return f"M{x - r} {y - r}h{2 * r}v{2 * r}h{-2 * r}z"
        case "approval":
            return f"M{x} {y - r - 1}l{r + 1} {2 * r}h{-2 * r - 2}z"
        case "compaction":
            return f"M{x} {y + r + 1}l{r + 1} {-2 * r}h{-2 * r - 2}z"
        case "guardrail":
            return f"M{x} {y - r - 1}l{r + 1} {r + 1}l{-r - 1} {r + 1}l{-r - 1} {-r - 1}z"
        case "handoff":
            return f"M{x - r} {y - r}l{2 * r} {r}l{-2 * r} {r}z"
    return f"M{x - 2} {y - r - 2}h4v{2 * r + 4}h-4z"


def _arrow(x: int, start: int, end: int) -> str:
    """A line from lane to lane with a head."""
    back = -6 if end > start else 6
    return f"M{x} {start}V{end}M{x - 5} {end + back}L{x} {end}L{x + 5} {end + back}"


def _gap(x: int, rows: dict[str, int]) -> str:
    top, bottom = min(rows.values()) - 8, max(rows.values()) + 8
    return f"M{x - 3} {top}V{bottom}M{x + 3} {top}V{bottom}"
