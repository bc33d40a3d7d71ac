"""The index of a fleet in a real browser: it asks for nothing, and leads to the audits beside it.

Skipped without Playwright or a Chromium.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser_pages import CHROMIUM, Shown, launched
from tests.fleet_targets import agent, listed, runs

from agentcheck.cli import run_command

if TYPE_CHECKING:
    from playwright.sync_api import Browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fleet")
    names = [agent(folder / name) for name in ("one", "<script>alert(1)</script>", "l" * 120)]
    path = listed(
        folder / "list.txt", *names, runs(folder / "runs.jsonl"), f"file://{folder}/no.git"
    )
    run_command(["fleet", str(path), "-o", str(folder / "out"), "--isolated", "-q"])
    return folder / "out" / "index.html"


def test_the_page_asks_for_nothing_and_leads_to_an_audit(browser: Browser, index: Path) -> None:
    page = Shown(browser, index, java_script_enabled=False)
    assert page.tab.locator("#failed").is_visible()
    page.tab.locator("#repositories ~ .scroll a").first.click()
    assert page.tab.locator("h1").inner_text().startswith("Agent audit of")
    assert [address for address in page.asked if not address.startswith("file:")] == []
    assert page.errors == []


def test_a_phone_shows_it_without_scrolling_sideways(browser: Browser, index: Path) -> None:
    page = Shown(browser, index, viewport=PHONE)
    width = page.tab.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]
    assert page.tab.locator("td[data-label='fix now']").first.is_visible()
    assert page.errors == []
