"""From a diagram to boxes with rows."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.model.diagram import GIVEN, Diagram, Edge, Node
from agentcheck.report.diagram_words import EDGE_WORDS, NODE_WORDS, facts_of, place_of, where
from agentcheck.report.escape import visible
from agentcheck.report.scene.fold import arrange_rows, fold
from agentcheck.report.scene.measure import shortened, shortened_path
from agentcheck.report.scene.parts import Line, Panel, Row, RowKind, Scene
from agentcheck.report.scene.plain import without_shared_runs

TITLE_MOST, SUB_MOST, PATH_MOST, ROW_MOST = 40, 56, 34, 42
_IN_ROWS = GIVEN | {"approval", "unresolved"}
_LOOSE = "Tools given to no agent here"


def stage(diagram: Diagram) -> Scene:
    """The boxes of everything that acts, with rows for what each is given."""
    return _Stage(without_shared_runs(diagram)).built()


class _Stage:
    def __init__(self, diagram: Diagram) -> None:
        self.nodes = {node.id: node for node in diagram.nodes}
        self.out: dict[str, list[Edge]] = {}
        self.into: dict[str, list[Edge]] = {}
        for edge in diagram.edges:
            self.out.setdefault(edge.source, []).append(edge)
            self.into.setdefault(edge.target, []).append(edge)
        self.scene = Scene()
        self.panels: dict[str, Panel] = {}
        self.shown: set[str] = set()

    def built(self) -> Scene:
        for node in self.nodes.values():
            if node.kind not in _IN_ROWS:
                self.panels[node.id] = self._panel(node)
        self.scene.panels = list(self.panels.values())
        for name, panel in self.panels.items():
            self._fill(name, panel)
        self._loose()
        for panel in self.scene.panels:
            arrange_rows(panel)
            fold(self.scene, panel)
        return self.scene

    def _fill(self, name: str, panel: Panel) -> None:
        """Rows for what a box is given and for its ways out, lines for what it leads to."""
        self._approvals(name, panel, 0)
        handed = {e.label: e for e in self.out.get(name, []) if e.kind == "hands-to" and e.label}
        for edge in self.out.get(name, []):
            target = self.nodes[edge.target]
            if target.kind in _IN_ROWS:
                self._give(panel, edge, target)
            elif edge.kind == "hands-to" and edge.label is None:
                row = Row("handoff-tool", f"to {target.label}", self._says(edge))
                self._lead(panel, _short(row), edge)
            elif edge.kind == "next" and edge.label is not None:
                self._lead(panel, _short(Row("branch", edge.label, self._says(edge))), edge)
            elif not (
                edge.kind == "hands-to" and edge.label in handed and self._by_tool(name, edge)
            ):
                self._line(panel, None, edge)

    def _by_tool(self, name: str, edge: Edge) -> bool:
        """Whether a tool of the box, shown as a row, is the way that an edge tells of."""
        return any(
            self.nodes[e.target].kind == "handoff-tool" and self.nodes[e.target].label == edge.label
            for e in self.out.get(name, [])
        )

    def _lead(self, panel: Panel, row: Row, edge: Edge) -> None:
        panel.rows.append(row)
        self._line(panel, row, edge)

    def _line(self, panel: Panel, row: Row | None, edge: Edge) -> None:
        target = self.panels.get(edge.target)
        if self._runs_graph(edge):
            text = f"runs {self.nodes[edge.target].label}"
            panel.rows.append(_short(Row("runs", text, self._says(edge))))
            return
        if target is None or (edge.kind == "member" and self._reached(edge)):
            return
        self.scene.lines.append(Line(panel, row, target, edge.kind, self._says(edge)))

    def _runs_graph(self, edge: Edge) -> bool:
        """Whether a step runs another state graph, which is drawn by itself for its width."""
        kinds = (self.nodes[edge.source].kind, edge.kind, self.nodes[edge.target].kind)
        return kinds == ("step", "runs", "group")

    def _reached(self, edge: Edge) -> bool:
        """Whether a member of a state graph is reached by other ways, which say more."""
        return self.nodes[edge.target].kind == "step" and any(
            e.kind == "next" for e in self.into.get(edge.target, [])
        )

    def _give(self, panel: Panel, edge: Edge, target: Node) -> None:
        row = _row(target, self._says(edge))
        panel.rows.append(row)
        self.shown.add(target.id)
        for out in self.out.get(edge.source, []):
            led = out.kind == "hands-to" and out.label == target.label
            if led and target.kind == "handoff-tool":
                self._line(panel, row, out)
        self._below(panel, row, target)

    def _below(self, panel: Panel, row: Row, node: Node) -> None:
        """What a tool itself asks and runs, and what stands before it."""
        self._approvals(node.id, panel, row.indent + 1)
        for edge in self.out.get(node.id, []):
            target = self.nodes[edge.target]
            if target.kind not in _IN_ROWS:
                self._line(panel, row, edge)
            elif target.kind in ("model-call", "unresolved"):
                self.shown.add(target.id)
                inner = _row(target, self._says(edge))
                inner.indent = row.indent + 1
                panel.rows.append(inner)

    def _approvals(self, name: str, panel: Panel, indent: int) -> None:
        for edge in self.into.get(name, []):
            if edge.kind == "approves":
                row = _row(self.nodes[edge.source], self._says(edge))
                row.indent = indent
                panel.rows.append(row)
                self.shown.add(edge.source)

    def _loose(self) -> None:
        """One box for the tools that nothing in this code is given."""
        panel = Panel(None, _LOOSE, [], _LOOSE)
        for kinds in (GIVEN - {"model-call"}, {"model-call"}):
            for node in self.nodes.values():
                if node.kind in kinds and node.id not in self.shown:
                    row = _row(node, _described(node))
                    panel.rows.append(row)
                    self._below(panel, row, node)
        if panel.rows:
            panel.subs.append("used or served elsewhere")
            self.scene.panels.append(panel)

    def _says(self, edge: Edge) -> str:
        source, target = self.nodes[edge.source].label, self.nodes[edge.target].label
        by = f" ({edge.label})" if edge.label else ""
        place = place_of(edge.file, edge.line, edge.cell)
        return f"{source} {EDGE_WORDS[edge.kind]} {target}{by}, {place}"

    def _panel(self, node: Node) -> Panel:
        kind = "state graph" if self._has_steps(node) else NODE_WORDS[node.kind]
        if node.framework and node.kind != "step":
            kind = f"{kind} · {node.framework}"
        subs = [shortened(kind, SUB_MOST)]
        subs += [shortened(visible(fact), SUB_MOST) for fact in facts_of(node)]
        subs.append(shortened_path(where(node), PATH_MOST))
        return Panel(node, shortened(visible(node.label), TITLE_MOST), subs, _described(node))

    def _has_steps(self, node: Node) -> bool:
        led = (self.nodes[e.target].kind for e in self.out.get(node.id, []))
        return node.kind == "group" and "step" in led


def _row(node: Node, says: str) -> Row:
    kinds: dict[str, RowKind] = {
        "tool": "tool",
        "effect-tool": "effect-tool",
        "handoff-tool": "handoff-tool",
        "model-call": "model-call",
        "approval": "approval",
    }
    row = Row(kinds.get(node.kind, "unresolved"), node.label, f"{_described(node)}; {says}", node)
    row.note = ", ".join(_notes(node))
    return _short(row)


def _notes(node: Node) -> Iterator[str]:
    if node.kind == "effect-tool":
        yield visible(node.detail.get("effect", "").partition(":")[0])
        if node.detail.get("approval") in ("required", "may be required"):
            yield f"approval {node.detail['approval']}"
    if node.kind == "unresolved":
        yield "not found"
    if node.kind == "model-call" and node.detail.get("api") not in (None, node.label):
        yield shortened(visible(node.detail["api"]), 28)


def _short(row: Row) -> Row:
    row.text = shortened(visible(row.text), ROW_MOST)
    return row


def _described(node: Node) -> str:
    facts = "".join(f", {key}: {value}" for key, value in node.detail.items())
    return f"{NODE_WORDS[node.kind]} {node.label}{facts}, {where(node)}"
