"""The audit as a page, without a browser: what it says, and that no text is markup."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from tests.report_parts import HOSTILE, code, finding
from tests.report_samples import clean, hostile, make, ordinary

from agentcheck.model.diagram import Diagram, Node
from agentcheck.report import render

VOID = {"meta", "input", "br", "img", "link", "wbr"}


class Page(HTMLParser):
    """Elements and attributes in order, and the text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.shape: list[tuple[str, tuple[str, ...]]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.unmatched: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shape.append((tag, tuple(name for name, _ in attrs)))
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unmatched.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def without_code(page: Page) -> list[tuple[str, tuple[str, ...]]]:
    """The elements, but for the code spans that sentences have where they quote something, and
    for the places at which a path may go on in a new line."""
    return [(tag, names) for tag, names in page.shape if tag not in ("code", "mark", "wbr")]


def test_every_part_of_a_finding_is_on_the_page() -> None:
    report = ordinary()
    page = Page(render(report, "html"))
    for found in report.findings:
        if found.suppressed:
            assert found.suppressed.reason in page.text
            continue
        assert found.id in page.ids
        fix, file = (found.fix.what if found.fix else ""), found.owner_file or ""
        parts = (found.at_stake, found.consequence, found.owner, found.smallest_change, fix, file)
        for part in (*parts, found.could_break, found.fingerprint, *found.failure_path):
            assert " ".join(part.replace("`", "").split()) in page.text
        for item in found.evidence:
            assert item.says.replace("`", "") in page.text
    assert page.open == []
    assert page.unmatched == []


def test_the_parts_stand_in_the_order_of_an_audit() -> None:
    page = Page(render(ordinary(), "html"))
    order = ["profile", "short", "questions", "findings", "aside", "skipped"]
    assert [name for name in page.ids if name in order] == order


def test_the_graph_is_drawn_where_there_is_one() -> None:
    node = Node(id="a", kind="agent", label="<b>Desk</b>", file="desk.py", line=3)
    drawn = Diagram(title="desk", nodes=(node,), edges=())
    page = render(make((), graph=drawn), "html")
    assert "<svg" in page
    assert "<b>Desk" not in page
    assert "Desk" in Page(page).text
    assert "<svg" not in render(make(()), "html")


def test_the_questions_lead_to_their_findings_and_the_head_to_every_part() -> None:
    text = render(ordinary(), "html")
    row = next(row for row in text.split("<tr>") if "<code>AC101</code>" in row)
    assert '<a href="#F1">F1</a>' in row
    assert "Met: <code>desk.plan.draft</code>: bounded by 8" in row
    page = Page(text)
    assert all(link[1:] in page.ids for link in page.links if link.startswith("#"))
    assert {"#short", "#questions", "#findings", "#aside", "#skipped"} <= set(page.links)


def test_a_clean_audit_says_so() -> None:
    text = Page(render(clean(), "html")).text
    assert "Nothing was found that should change." in text
    assert "everything that was found was read" in text


def test_only_the_pages_own_style_and_script_may_run() -> None:
    node = Node(id="a", kind="agent", label="Desk", file="desk.py", line=3)
    page = render(make((), graph=Diagram(title="desk", nodes=(node,), edges=())), "html")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    allowed = policy[1].replace("&#39;", "'")
    assert "default-src 'none'" in allowed
    blocks = re.findall(r"<(style|script)>(.*?)</\1>", page, re.DOTALL)
    assert len(blocks) == 3
    for _, block in blocks:
        digest = b64encode(sha256(block.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in allowed
    assert "unsafe" not in allowed
    assert 'style="' not in page


@pytest.mark.parametrize("text", [*filter(str.strip, HOSTILE), "\n".join(HOSTILE)])
def test_no_text_of_the_target_is_markup(text: str) -> None:
    page = Page(render(hostile(text), "html"))
    plain = Page(render(hostile("harmless"), "html"))
    assert without_code(page) == without_code(plain)
    assert page.unmatched == []
    assert all(link.startswith("#") for link in page.links)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_character_of_the_target_drives_a_screen(text: str) -> None:
    page = render(hostile(text), "html")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)


def test_places_link_to_the_repository_where_it_is_known() -> None:
    base = "https://forge.example/desk/blob/6f0c2d4"
    page = Page(render(ordinary(), "html", link_base=base, prefix="apps"))
    assert f"{base}/apps/desk/loop.py#L46" in page.links
    assert f"{base}/apps/desk/loop.py#L30" in page.links  # what is met has its line too
    bad = Page(render(ordinary(), "html", link_base="javascript:alert(1)//"))
    assert [link for link in bad.links if not link.startswith("#")] == [
        ordinary().target.repository
    ]


def test_overlapping_marks_lose_no_character() -> None:
    line = "reply = client.create(model=model)"
    places = (
        code(3, line, "whole call", find="client.create(model=model)", role="primary"),
        code(3, line, "its model", find="model=model"),
        code(3, line, "all", find=line),
    )
    page = Page(render(make((finding(1, places),)), "html"))
    assert line in "".join(page.texts)
