"""The page in a real browser: search, filters, keys, copying, print, hostile texts, many findings.

Debian's `chromium`, or any Chromium that CHROMIUM names, driven by Playwright; skipped without.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser_pages import CHROMIUM, Shown, launched
from tests.report_parts import HOSTILE
from tests.report_samples import hostile, large, ordinary
from tests.run_targets import LOOP

from agentcheck.model.report import Report
from agentcheck.report import render

if TYPE_CHECKING:
    from playwright.sync_api import Browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


def written(tmp_path: Path, report: Report) -> Path:
    path = tmp_path / "audit.html"
    path.write_text(render(report, "html"), "utf-8")
    return path


def test_search_and_filters_count_live_and_stay_in_the_address(
    browser: Browser, tmp_path: Path
) -> None:
    path = written(tmp_path, ordinary())
    page = Shown(browser, path)
    assert page.visible() == ["F1", "F2", "F4", "F6"]
    page.tab.get_by_text("Filters", exact=True).click()
    high = page.tab.locator("label", has_text="high").first
    before = high.inner_text()
    page.tab.fill("#search", "timeout")
    assert page.visible() == ["F6"]
    assert page.tab.locator("#told").inner_text() == "1 of 4 findings shown"
    assert high.inner_text() != before
    page.tab.fill("#search", "")
    page.tab.check("input[name=severity][value=low]")
    page.tab.check("input[name=severity][value=medium]")
    assert page.visible() == ["F4", "F6"]
    again = Shown(browser, path, "#" + page.tab.url.partition("#")[2])
    assert again.visible() == ["F4", "F6"]
    again.tab.click("#clear")
    assert again.visible() == ["F1", "F2", "F4", "F6"]
    assert "#" not in again.tab.url
    assert page.errors + again.errors == []


def test_a_link_to_a_finding_shows_it_even_where_a_filter_hid_it(
    browser: Browser, tmp_path: Path
) -> None:
    page = Shown(browser, written(tmp_path, ordinary()), "#severity=low")
    assert page.visible() == ["F6"]
    page.tab.locator("ol.first a", has_text="F2").first.click()
    assert "F2" in page.visible()
    box = page.tab.locator("#F2").bounding_box()
    assert box is not None
    assert box["y"] < 400


def test_a_link_by_fingerprint_outlives_the_numbers_of_a_report(
    browser: Browser, tmp_path: Path
) -> None:
    report = ordinary()
    page = Shown(browser, written(tmp_path, report), f"#{report.findings[-1].fingerprint}")
    box = page.tab.locator("#F6").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 400
    assert page.errors == []


@pytest.mark.parametrize(
    "hash_", ["#%", "#q=%E0%A4%A", "#F0", "#F99", "#=&=", "#severity=none", "#"]
)
def test_an_address_that_makes_no_sense_shows_everything_or_nothing(
    browser: Browser, tmp_path: Path, hash_: str
) -> None:
    page = Shown(browser, written(tmp_path, ordinary()), hash_)
    assert page.errors == []
    assert page.tab.locator("#told").inner_text().endswith(" of 4 findings shown")
    page.tab.click("#clear")
    assert len(page.visible()) == 4


def test_the_keyboard_is_enough(browser: Browser, tmp_path: Path) -> None:
    page = Shown(browser, written(tmp_path, ordinary()))
    page.tab.keyboard.press("/")
    page.tab.keyboard.type("the")
    page.tab.keyboard.press("Escape")
    page.tab.keyboard.press("j")
    first = page.tab.evaluate("document.activeElement.id")
    page.tab.keyboard.press("j")
    second = page.tab.evaluate("document.activeElement.id")
    page.tab.keyboard.press("k")
    assert first == page.visible()[0]
    assert second == page.visible()[1]
    assert page.tab.evaluate("document.activeElement.id") == first


def test_the_acceptance_test_is_copied_whole(browser: Browser, tmp_path: Path) -> None:
    report = ordinary()
    page = Shown(browser, written(tmp_path, report), permissions=["clipboard-read"])
    page.tab.locator("#F1 details.test summary").click()
    page.tab.locator("#F1 details.test button").click()
    page.tab.get_by_text("Copied").wait_for()
    copied = page.tab.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == (report.findings[0].acceptance.test or "").strip()


def test_it_reads_without_scripts_and_on_paper(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, ordinary())
    page = Shown(browser, path, java_script_enabled=False)
    assert page.visible() == ["F1", "F2", "F4", "F6"]
    assert not page.tab.locator(".tools").is_visible()
    assert page.tab.locator("button:visible").count() == 0
    page.tab.emulate_media(media="print")
    assert page.tab.locator("#F1 details.test pre").is_visible()
    sheet = page.tab.pdf()
    assert sheet.startswith(b"%PDF")


def test_light_and_dark_differ_and_can_be_chosen(browser: Browser, tmp_path: Path) -> None:
    page = Shown(browser, written(tmp_path, ordinary()), color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.tab.evaluate(ground)
    page.tab.click("#theme")
    dark = page.tab.evaluate(ground)
    assert light != dark
    assert "theme=dark" in page.tab.url
    page.tab.emulate_media(color_scheme="dark")
    page.tab.click("#theme")
    assert page.tab.evaluate(ground) == light


@pytest.mark.parametrize("text", [*HOSTILE, "\n".join(HOSTILE)])
def test_hostile_text_neither_runs_nor_loads_anything(
    browser: Browser, tmp_path: Path, text: str
) -> None:
    path = written(tmp_path, hostile(text))
    page = Shown(browser, path)
    page.tab.locator("#F1").wait_for()
    assert page.errors == []
    assert page.asked == [path.as_uri()]
    assert page.tab.locator("img, iframe, object, embed, form, main script").count() == 0


def test_two_thousand_findings_can_be_searched(browser: Browser, tmp_path: Path) -> None:
    page = Shown(browser, written(tmp_path, large(2_000)))
    assert page.tab.locator("#told").inner_text() == "2000 of 2000 findings shown"
    page.tab.fill("#search", "F1999")
    assert page.visible() == ["F1999"]
    page.tab.fill("#search", "no such words")
    assert page.visible() == []
    assert page.errors == []


def test_what_is_jumped_to_does_not_stand_under_the_bar(browser: Browser, tmp_path: Path) -> None:
    page = Shown(browser, written(tmp_path, large(30)), viewport={"width": 1280, "height": 800})
    page.tab.get_by_text("Filters", exact=True).click()
    page.tab.wait_for_timeout(50)
    page.tab.locator("#questions ~ * a, td a", has_text="F7").first.click()
    bar, box = page.tab.locator(".tools").bounding_box(), page.tab.locator("#F7").bounding_box()
    assert bar is not None
    assert box is not None
    assert bar["y"] + bar["height"] <= box["y"] < 700


@pytest.mark.parametrize(("name", "width"), [("phone-finding", 390), ("print", 794)])
def test_pictures_are_taken_by_one_command(tmp_path: Path, name: str, width: int) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "bot.py").write_text(LOOP)
    command = [sys.executable, "docs/screenshots.py", str(target), "-o", str(tmp_path / "made")]
    done = subprocess.run(
        [*command, "--only", name],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (tmp_path / "made").iterdir())
    assert f"{name}.png" in names
    head = (tmp_path / "made" / f"{name}.png").read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    assert int.from_bytes(head[16:20], "big") == width


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_the_page_never_scrolls_sideways(browser: Browser, tmp_path: Path, width: int) -> None:
    page = Shown(browser, written(tmp_path, ordinary()), viewport={"width": width, "height": 800})
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
