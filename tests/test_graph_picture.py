"""The picture of the agent graph: boxes keep apart, arrows go around them, one element."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agentcheck.config import Settings
from agentcheck.model.diagram import Diagram, Edge, Node
from agentcheck.report.diagram_svg import svg
from agentcheck.report.layout import Arrow, Box, arrange
from agentcheck.report.layout.shapes import Path as Drawn
from agentcheck.run import Request
from agentcheck.run.diagram import read_diagram

ROOT = Path(__file__).parents[1]
DESK = ROOT / "fixtures" / "agents" / "parcel_desk"
SIZES = {"title": 13.0, "sub": 10.5, "row": 12.0}
Rectangle = tuple[float, float, float, float]


def overlap(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def points(path: Drawn) -> Iterator[tuple[float, float]]:
    """Points along an arrow, twenty a piece."""
    here = path.start
    for piece in path.pieces:
        one, two = piece.bend or (here, piece.end)
        for step in range(21):
            t = step / 20
            u = 1 - t
            yield tuple(  # type: ignore[misc]
                u**3 * a + 3 * u * u * t * b + 3 * u * t * t * c + t**3 * d
                for a, b, c, d in zip(here, one, two, piece.end, strict=True)
            )
        here = piece.end


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Box], list[Arrow]]:
    sizes = st.integers(40, 300)
    count = draw(st.integers(1, 14))
    boxes = [Box(draw(sizes), height := draw(sizes), min(18, height / 2)) for _ in range(count)]
    ends = st.integers(0, count - 1)
    arrows = []
    for _ in range(draw(st.integers(0, 24))):
        source = draw(ends)
        port = draw(st.integers(5, int(boxes[source].height) - 5))
        arrows.append(Arrow(source, draw(ends), port))
    return boxes, arrows


@given(graphs())
def test_boxes_keep_apart_and_inside_the_picture(graph: tuple[list[Box], list[Arrow]]) -> None:
    boxes, arrows = graph
    drawing = arrange(boxes, arrows)
    placed = [
        (x, y, x + box.width, y + box.height)
        for (x, y), box in zip(drawing.corners, boxes, strict=True)
    ]
    assert not [pair for pair in combinations(placed, 2) if overlap(*pair)]
    assert all(x >= 0 and y >= 0 for x, y, _, _ in placed)
    assert all(r <= drawing.width + 0.1 and b <= drawing.height + 0.1 for _, _, r, b in placed)


@given(graphs())
def test_arrows_join_their_boxes_and_cross_no_other(graph: tuple[list[Box], list[Arrow]]) -> None:
    boxes, arrows = graph
    drawing = arrange(boxes, arrows)
    for arrow, path in zip(arrows, drawing.paths, strict=True):
        left, top = drawing.corners[arrow.source]
        assert abs(path.start[1] - (top + arrow.port)) < 0.2
        assert (
            min(abs(path.start[0] - left), abs(path.start[0] - left - boxes[arrow.source].width))
            < 0.2
        )
        left, top = drawing.corners[arrow.target]
        end = path.pieces[-1].end
        assert abs(end[1] - (top + boxes[arrow.target].dock)) < 0.2
        for x, y in points(path):
            for (a, b), box in zip(drawing.corners, boxes, strict=True):
                inside = a + 1 < x < a + box.width - 1 and b + 1 < y < b + box.height - 1
                assert not inside


@given(graphs())
def test_the_same_graph_is_laid_out_the_same(graph: tuple[list[Box], list[Arrow]]) -> None:
    assert arrange(*graph) == arrange(*graph)


def test_a_chain_runs_from_left_to_right() -> None:
    drawing = arrange([Box(80, 40, 20)] * 4, [Arrow(2, 0, 20), Arrow(0, 3, 20), Arrow(3, 1, 20)])
    lefts = [x for x, _ in drawing.corners]
    assert lefts[2] < lefts[0] < lefts[3] < lefts[1]


def test_many_boxes_are_laid_out_in_little_space() -> None:
    drawing = arrange([Box(120, 60, 18)] * 400, [])
    assert drawing.width < 6 * drawing.height
    assert drawing.height < 6 * drawing.width


# The element


def desk() -> Diagram:
    return read_diagram(Request(paths=(str(DESK),), jobs=1), Settings())


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - our own


def extent(path: str) -> Rectangle:
    """The rectangle around an outline of the commands that boxes are drawn with."""
    x = y = 0.0
    xs, ys = [], []
    for command, rest in re.findall(r"([MHVLAahvzZ])([^MHVLAahvzZ]*)", path):
        values = [float(v) for v in re.findall(r"-?[\d.]+", rest)]
        match command:
            case "M" | "L":
                x, y = values
            case "H":
                x = values[0]
            case "V":
                y = values[0]
            case "h":
                x += values[0]
            case "v":
                y += values[0]
            case "A":
                x, y = values[-2:]
            case "a":
                x, y = x + values[-2], y + values[-1]
            case _:
                continue
        xs.append(x)
        ys.append(y)
    return min(xs), min(ys), max(xs), max(ys)


def boxes_of(text: str) -> list[tuple[str, Rectangle]]:
    """Each box of a picture with its name and place."""
    found = []
    for group in parsed(text).iter("{http://www.w3.org/2000/svg}g"):
        if "node" in group.get("class", "").split():
            x, y = map(float, re.findall(r"-?[\d.]+", group.get("transform", "")))
            outline = next(e for e in group if e.get("class") == "body")
            a, b, c, d = extent(outline.get("d", ""))
            found.append((group.get("aria-label", ""), (x + a, y + b, x + c, y + d)))
    return found


def test_the_boxes_of_the_fixture_do_not_overlap() -> None:
    boxes = boxes_of(svg(desk()))
    assert len(boxes) == 9
    assert not [pair for pair in combinations(boxes, 2) if overlap(pair[0][1], pair[1][1])]


def test_text_stays_within_its_box() -> None:
    tree = parsed(svg(desk()))
    for group in tree.iter("{http://www.w3.org/2000/svg}g"):
        if "node" not in group.get("class", "").split():
            continue
        _, top, right, bottom = extent(
            next(e for e in group if e.get("class") == "body").get("d", "")
        )
        for text in group.iter("{http://www.w3.org/2000/svg}text"):
            assert top < float(text.get("y", "0")) < bottom
            if text.get("text-anchor") != "end":
                # An average letter of a sans-serif font is a little over half as wide as high.
                letter = SIZES[text.get("class", "").split()[0]] * 0.52
                assert float(text.get("x", "0")) + len(text.text or "") * letter < right


def test_every_box_has_a_name_for_readers_and_the_picture_a_title() -> None:
    tree = parsed(svg(desk()))
    title, desc = tree[0], tree[1]
    assert title.text == "Agent graph of parcel_desk"
    assert desc.text
    assert desc.text.startswith("4 agents")
    names = [name for name, _ in boxes_of(svg(desk()))]
    assert all(names)
    assert any(name.startswith("agent Front desk") for name in names)


def test_a_prefix_keeps_two_pictures_of_a_page_apart() -> None:
    one, other = svg(desk(), id_prefix="one-"), svg(desk(), id_prefix="two-")
    ids = [set(re.findall(r' id="([^"]+)"', text)) for text in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert set(re.findall(r"url\(#([^)]+)\)", one)) <= ids[0]
    classes = {c for names in re.findall(r' class="([^"]+)"', one) for c in names.split()}
    assert all(name.startswith("one-") for name in classes)
    rules = re.findall(r"<style>(.*?)</style>", one, re.DOTALL)[0]
    selectors = re.findall(
        r"([^{}]+)\{[^{}]*\}", rules.replace("@media (prefers-color-scheme:dark){", "")
    )
    assert all(
        part.strip().startswith(".one-graph")
        for s in selectors
        for part in s.split(",")
        if part.strip()
    )


def test_the_picture_loads_nothing_and_runs_nothing() -> None:
    text = svg(desk())
    assert "<script" not in text
    assert set(re.findall(r"https?://[^\"'\s)]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme:dark" in text


def many_tools(count: int) -> Diagram:
    agent = Node(id="a", kind="agent", label="A", file="a.py", line=1)
    tools = [
        Node(id=f"t{n}", kind="effect-tool" if n == count - 1 else "tool", label=f"tool_{n}",
             file="a.py", line=n + 2)
        for n in range(count)
    ]  # fmt: skip
    edges = [Edge(source="a", target=t.id, kind="uses", file="a.py", line=1) for t in tools]
    return Diagram(title="t", nodes=(agent, *tools), edges=tuple(edges))


def test_more_than_twelve_tools_are_folded_and_what_changes_the_world_stays() -> None:
    text = svg(many_tools(40))
    assert "+ 29 more tools" in text
    assert ">tool_39<" in text
    assert ">tool_38<" not in text
    assert "more tools" not in svg(many_tools(12))
