"""Pages of whole scans in a real browser: hostile targets, readers for the blind, contrast, print.

Skipped without Playwright or a Chromium.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser_pages import CHROMIUM, Shown, launched
from tests.report_parts import HOSTILE
from tests.run_targets import LOOP

from agentcheck.cli import run_command

if TYPE_CHECKING:
    from playwright.sync_api import Browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]

DESK = Path(__file__).parents[1] / "fixtures" / "agents" / "parcel_desk"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the sample agent with its recorded runs."""
    page = tmp_path_factory.mktemp("desk") / "audit.html"
    return scanned(DESK, DESK / "runs.jsonl", page)


def scanned(target: Path, runs: Path, page: Path) -> Path:
    wanted = ["--output-format", "html", "--output-file", str(page), "--persona", "auditor"]
    run_command(
        ["scan", str(target), "--trace", str(runs), "--isolated", "--jobs", "1", "-q", *wanted]
    )
    return page


def hostile_target(folder: Path) -> tuple[Path, Path]:
    """A target with hostile names of files and agents, prompts and code, and runs of the same."""
    for number, text in enumerate(filter(str.strip, HOSTILE)):
        told = text.encode("utf-8", "backslashreplace").decode()
        name = re.sub("[/\x00]", "_", told)[:80]
        agent = (
            "from agents import Agent, function_tool\n\n\n"
            f"@function_tool\ndef send_mail_{number}(to: str) -> str:\n    {told!r}\n\n\n"
            f"agent = Agent(name={told!r}, instructions={told!r} + input(), "
            f"tools=[send_mail_{number}], colour={told!r})\n"
        )
        path = folder / "target" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{agent}\n\n{LOOP}# {told!a}\n", "utf-8")
    runs = folder / "runs.jsonl"
    with runs.open("w", encoding="utf-8") as lines:
        for text in HOSTILE:
            call = {"name": text or "none", "arguments": text}
            calls = [{"id": "c1", "type": "function", "function": call}]
            run = [
                {"role": "user", "content": text},
                {"role": "assistant", "content": text, "tool_calls": calls},
                {"role": "assistant", "content": text, "tool_calls": calls},
            ]
            lines.write(f"{json.dumps({'messages': run})}\n")
    return folder / "target", runs


@pytest.mark.skipif(os.name == "nt", reason="such names of files are not allowed there")
def test_a_hostile_target_and_its_runs_neither_run_nor_load_anything(
    browser: Browser, tmp_path: Path
) -> None:
    path = scanned(*hostile_target(tmp_path), tmp_path / "audit.html")
    page = Shown(browser, path)
    assert len(page.visible()) >= len(list(filter(str.strip, HOSTILE)))
    assert page.tab.locator("figure.graph svg").count() == 1
    assert page.tab.locator("article.run, figure.lanes").count() > 0
    page.tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.tab.locator("img, iframe, object, embed, form, main script").count() == 0
    assert page.tab.locator("main a[href^='javascript'], main a[href*='evil']").count() == 0
    assert (page.errors, page.asked) == ([], [path.as_uri()])


def test_a_reader_for_the_blind_is_told_the_parts_and_the_state(
    browser: Browser, desk: Path
) -> None:
    page = Shown(browser, desk)
    told = page.tab.locator("body").aria_snapshot()
    for part in (
        "- banner:", "- main:", '- navigation "Parts of this page"', "- search:",
        '- searchbox "Search the findings"', '- status: ', '- region "Findings"',
        '- article "F1 ', '- heading "Agent audit of parcel_desk" [level=1]',
    ):  # fmt: skip
        assert part in told, part
    unnamed = """() => [...document.querySelectorAll('a[href], button, input, summary')]
        .filter(one => !(one.ariaLabel || one.closest('label') || one.textContent.trim()))
        .map(one => one.outerHTML)"""
    assert page.tab.evaluate(unnamed) == []
    levels = page.tab.evaluate(
        "() => [...document.querySelectorAll('h1,h2,h3,h4')].map(one => +one.tagName[1])"
    )
    assert levels[0] == 1
    assert all(new <= old + 1 for old, new in pairwise(levels))


CONTRAST = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((value) => value / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const color = parts(getComputedStyle(node).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  document.querySelectorAll('details').forEach((one) => (one.open = true));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let least = 21, where = '';
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || node.closest('svg, script, style')) continue;
    const pair = [light(parts(getComputedStyle(node).color)), light(ground(node))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < least) [least, where] = [ratio, `${node.tagName}.${node.className}`];
  }
  return [least, where];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(browser: Browser, desk: Path, scheme: str) -> None:
    """WCAG 2.2, 1.4.3: at least 4.5 to 1."""
    page = Shown(browser, desk, color_scheme=scheme)
    ratio, where = page.tab.evaluate(CONTRAST)
    assert ratio >= 4.5, where


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_of_a_scan_never_scrolls_sideways(
    browser: Browser, desk: Path, width: int
) -> None:
    page = Shown(browser, desk, viewport={"width": width, "height": 800})
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_every_question_stands_with_its_answer(browser: Browser, desk: Path) -> None:
    page = Shown(browser, desk, viewport={"width": 390, "height": 800})
    row = page.tab.locator(".questions tbody tr").first
    for cell in (row.locator("td").first, row.locator("td").last):
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390


def test_on_paper_everything_is_open_and_nothing_is_cut(browser: Browser, desk: Path) -> None:
    page = Shown(browser, desk)
    page.tab.emulate_media(media="print")
    page.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.tab.locator(".tools").is_visible()
    closed = "() => [...document.querySelectorAll('details')].filter(one => !one.open).length"
    assert page.tab.evaluate(closed) == 0
    sheets = page.tab.pdf(format="A4", prefer_css_page_size=True)
    assert sheets.count(b"/Type /Page\n") + sheets.count(b"/Type /Page ") > 3
