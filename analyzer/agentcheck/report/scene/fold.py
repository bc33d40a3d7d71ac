"""The order of a box's rows, and long lists of tools shortened: what tells most stays."""

from __future__ import annotations

from agentcheck.report.scene.parts import Panel, Row, RowKind, Scene

MOST_TOOLS = 12
_TOOLS = frozenset({"tool", "effect-tool"})


_ORDER: tuple[RowKind, ...] = (
    "approval", "model-call", "tool", "effect-tool", "unresolved", "handoff-tool", "runs", "branch",
)  # fmt: skip
_RANK = {kind: number for number, kind in enumerate(_ORDER)} | {"effect-tool": 2}


def arrange_rows(panel: Panel) -> None:
    """What is asked first, then what is given, then the ways out; otherwise as in the code."""
    groups = sorted(_groups(panel.rows), key=lambda group: _RANK.get(group[0].kind, len(_ORDER)))
    panel.rows = [row for group in groups for row in group]


def fold(scene: Scene, panel: Panel) -> None:
    """Leave at most MOST_TOOLS tools in a box and say how many more there are.

    Tools that change the world stay before others; with a tool goes what stands below it. What an
    arrow leaves from stays.
    """
    groups = _groups(panel.rows)
    tools = [group for group in groups if group[0].kind in _TOOLS]
    if len(tools) <= MOST_TOOLS:
        return
    leading = {id(line.row) for line in scene.lines if line.row is not None}
    ranked = sorted(tools, key=lambda group: (not _leads(group, leading), not _acts(group)))
    spare = [g for g in ranked[MOST_TOOLS - 1 :] if not _leads(g, leading)]
    gone = {id(row) for group in spare for row in group}
    names = ", ".join(group[0].text for group in spare)
    more = Row("more", f"+ {len(spare)} more tools", f"{len(spare)} more tools: {names}")
    kept = [row for row in panel.rows if id(row) not in gone]
    last = max(n for n, row in enumerate(kept) if row.kind in _TOOLS or row.indent)
    panel.rows = [*kept[: last + 1], more, *kept[last + 1 :]]


def _groups(rows: list[Row]) -> list[list[Row]]:
    """Each row at the margin with the indented ones below it."""
    found: list[list[Row]] = []
    for row in rows:
        if row.indent and found:
            found[-1].append(row)
        else:
            found.append([row])
    return found


def _leads(group: list[Row], leading: set[int]) -> bool:
    return any(id(row) in leading for row in group)


def _acts(group: list[Row]) -> bool:
    return group[0].kind == "effect-tool"
