"""The rows of a comparison on one target: a command each, and how its files are counted."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from contestants import Installed

from agentcheck.model.kind import code_kind

HERE = Path(__file__).resolve().parent


class Place(NamedTuple):
    """Where a target is measured: a copy, a second one whose files are changed, and what is kept.

    `changed` is the file of the second copy that is changed, by its path: the largest that is no
    test.
    """

    name: str
    folder: Path
    second: Path
    changed: Path
    scratch: Path


class Row(NamedTuple):
    """A label, a command, and what is done before each run; `env` is made anew for each."""

    label: str
    version: str
    command: list[str]
    env: Callable[[], Mapping[str, str]] = dict
    before: Callable[[], None] = lambda: None
    python: bool = True
    problem: str = ""


def place_of(target: Path, scratch: Path) -> Place:
    """Copy a target twice; without its history, links as links."""
    name = target.resolve().name
    folders = [scratch / "targets" / f"{name}{end}" for end in ("", "-changed")]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(target, folder, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    files = sorted(code_of(folders[1]), key=lambda path: (path.stat().st_size, str(path)))
    if not files:
        sys.exit(f"{target}: no .py file below it; name a checkout with --target")
    return Place(name, folders[0], folders[1], files[-1], scratch)


def code_of(tree: Path) -> list[Path]:
    """The files that agentcheck reads, by name: a change in a test is none to it."""
    found = (path.relative_to(tree) for path in sorted(tree.rglob("*.py")))
    return [tree / path for path in found if code_kind(path.as_posix()) != "test"]


def rows_of(place: Place, version: str, libcst: str, tools: list[Installed]) -> Iterator[Row]:
    """agentcheck in its states, the parsers, the others."""
    yield from _own(place, version)
    for parser, what, release in (
        ("libcst", "LibCST parses every file", libcst),
        ("ast", "ast.parse of every file", sys.version.split()[0]),
    ):
        command = [sys.executable, str(HERE / "parse_all.py"), parser, str(place.folder)]
        yield Row(what, release, command)
    for one in tools:
        report = place.scratch / f"{one.tool.package}.json"
        command = [one.program, *one.tool.arguments(str(place.folder), str(report))]
        own, problem = one.tool.python, one.problem
        yield Row(one.tool.package, one.version, command, python=own, problem=problem)


def _own(place: Place, version: str) -> Iterator[Row]:
    def scan(folder: Path, *options: str) -> list[str]:
        report = str(place.scratch / "agentcheck.json")
        rest = ["--output-format", "json", "--output-file", report, "--exit-zero", "--isolated"]
        return [sys.executable, "-m", "agentcheck", "scan", str(folder), *rest, *options]

    def fresh() -> Mapping[str, str]:
        folder = tempfile.mkdtemp(dir=place.scratch)
        return {"AGENTCHECK_CACHE_DIR": folder}

    def kept(name: str) -> Callable[[], Mapping[str, str]]:
        return lambda: {"AGENTCHECK_CACHE_DIR": str(place.scratch / f"cache-{place.name}-{name}")}

    def change() -> None:
        with place.changed.open("ab") as file:
            file.write(b"\n# changed\n")

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Row("agentcheck, cold, --jobs 1", version, scan(place.folder, "--jobs", "1"), fresh)
    yield Row(f"agentcheck, cold, --jobs {cores}", version, scan(place.folder), fresh)
    yield Row("agentcheck, warm", version, scan(place.folder), kept("warm"))
    yield Row("agentcheck, one file changed", version, scan(place.second), kept("changed"), change)
