"""Reports in a real browser: Debian's `chromium`, or any Chromium that CHROMIUM names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@contextmanager
def launched() -> Iterator[Browser]:
    """The browser; Playwright must be installed."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


class Shown:
    """A report opened in a tab; `errors` are what the console and the scripts complained of."""

    def __init__(self, browser: Browser, path: Path, hash_: str = "", **context: Any) -> None:
        self.context = browser.new_context(**context)
        self.tab = self.context.new_page()
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.tab.on("console", lambda message: self.errors.append(message.text))
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("dialog", self.refuse)
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.goto(f"{path.as_uri()}{hash_}")

    def refuse(self, dialog: Any) -> None:
        self.errors.append("a dialog opened")
        dialog.dismiss()

    def visible(self) -> list[str]:
        shown = self.tab.locator("article.finding:visible").all()
        return [node.get_attribute("id") or "" for node in shown]
