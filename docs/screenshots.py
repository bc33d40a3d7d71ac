"""Pictures of the HTML audit at the widths of a desk, a phone and a sheet of paper.

`python docs/screenshots.py` renews those in `docs/pictures/`, which show the sample in
`fixtures/agents/parcel_desk` with its recorded runs. `python docs/screenshots.py PATH -o DIR`
makes those of any other target, `--all` takes more of them, `--whole` shows the page to its end.
Those of openai/swarm are of a checkout of it at 6af0b4ca:
`python docs/screenshots.py CHECKOUT --prefix swarm- --only desktop,phone,print`.
Needs Playwright (in the dev extra) and a Chromium: `chromium` or `google-chrome` on the path, or
the one CHROMIUM names.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HERE = Path(__file__).parent.resolve()
SAMPLE = Path("fixtures", "agents", "parcel_desk")
A4 = (794, 1123)  # 210 by 297 millimetres at 96 dots an inch


class Picture(NamedTuple):
    """What is taken: the size in pixels of CSS, the scheme, and what stands at the top."""

    name: str
    size: tuple[int, int]
    scheme: str = "light"
    at: str = ""
    media: str = "screen"


PICTURES = (
    Picture("desktop", (1280, 1500)),
    Picture("desktop-graph-dark", (1280, 800), "dark", at="#graph"),
    Picture("desktop-finding", (1280, 1100), at="article.finding"),
    Picture("phone-finding", (390, 1200), at="article.finding"),
    Picture("print", A4, media="print"),
)
MORE = (
    Picture("desktop-dark", (1280, 1500), "dark"),
    Picture("desktop-graph", (1280, 800), at="#graph"),
    Picture("desktop-questions", (1280, 1000), at="#questions"),
    Picture("desktop-finding-dark", (1280, 1100), "dark", at="article.finding"),
    Picture("phone", (390, 1200)),
    Picture("phone-dark", (390, 1200), "dark"),
    Picture("phone-questions", (390, 1200), at="#questions"),
    Picture("print-finding", A4, at="article.finding", media="print"),
)
"""What is looked at, and not kept."""


def main(given: list[str] | None = None) -> int:
    """Take every picture. Exits with a sentence where there is no browser to take them with."""
    asked = _arguments(given)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    chromium = chromium or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no Chromium is installed; install one or name it in CHROMIUM")
    from playwright.sync_api import sync_playwright

    asked.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder) / "audit.html"
        _write(asked.path, asked.trace, page)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for picture in _chosen(asked):
            _take(
                browser, page, picture, f"{asked.output}{os.sep}{asked.prefix}", whole=asked.whole
            )
    return 0


def _chosen(asked: Any) -> list[Picture]:
    """The pictures of some names; a part of a name stands for all that have it."""
    made = [*PICTURES, *MORE]
    if not asked.only:
        return made if asked.all else list(PICTURES)
    words = set(asked.only.split(","))
    exact = {picture.name for picture in made} & words
    parts = words - exact
    return [p for p in made if p.name in exact or any(part in p.name for part in parts)]


def _arguments(given: list[str] | None) -> Any:
    parser = argparse.ArgumentParser(description="Pictures of the HTML audit.")
    parser.add_argument("path", nargs="?", type=Path, help="what is audited; default: the sample")
    parser.add_argument("--trace", action="append", default=[], help="recorded runs; repeatable")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "pictures", help="the folder")
    parser.add_argument("--whole", action="store_true", help="the page to its end")
    parser.add_argument("--all", action="store_true", help="also those that are not kept in docs/")
    parser.add_argument("--only", default="", help="those of these names or parts of names")
    parser.add_argument("--prefix", default="", help="what the names of the files begin with")
    asked = parser.parse_args(given)
    asked.output = asked.output.resolve()
    if asked.path is None:
        os.chdir(HERE.parent)  # the page names its files as they are given
        asked.path, asked.trace = SAMPLE, [str(SAMPLE / "runs.jsonl"), *asked.trace]
    return asked


def _write(path: Path, traces: list[str], page: Path) -> None:
    """The page, as a scan writes it. Exits where the scan cannot work."""
    from agentcheck.cli import FAILED, run_command

    runs = [word for trace in traces for word in ("--trace", trace)]
    wanted = ["--isolated", "--output-format", "html", "--output-file", str(page)]
    if run_command(["scan", *runs, *wanted, "--", str(path)]) == FAILED:
        sys.exit(FAILED)


def _take(browser: Browser, page: Path, picture: Picture, goal: str, *, whole: bool) -> None:
    width, height = picture.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if picture.scheme == "dark" else "light",
    )
    tab = context.new_page()
    tab.emulate_media(media="print" if picture.media == "print" else "screen")
    tab.goto(page.as_uri())
    if picture.media == "print":  # a sheet has margins, and a window has none
        tab.evaluate("() => { document.body.style.padding = '12mm' }")
    if picture.at:
        _settle(tab)
        tab.evaluate("at => document.querySelector(at).scrollIntoView()", picture.at)
    _settle(tab)
    name = f"{picture.name}-whole" if whole else picture.name
    tab.screenshot(path=f"{goal}{name}.png", full_page=whole)
    context.close()


def _settle(tab: Page) -> None:
    """Wait until nothing moves: what comes into view is laid out late."""
    tab.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 120)))")


if __name__ == "__main__":
    sys.exit(main())
