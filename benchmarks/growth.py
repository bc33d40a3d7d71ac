"""What a file costs in small and large targets: 100, 1,000 and 10,000 made-up files, cold and warm.

    python benchmarks/growth.py [--sizes 100 1000 10000] [--rounds 3] [--scratch DIR] [--write]

The tree is that of made_tree.py. CPU seconds are those of the command and its workers; divided by
the files they hold what every run costs anyway, which the first row shows: a scan of one file.
`--write` puts the table into README.md and the plot into growth.svg beside this file.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from contestants import last_line
from covered import environment
from machine import machine
from made_tree import write_tree
from measure import Cost, measure, median
from plot import Line, plot
from tables import write_section

HERE = Path(__file__).resolve().parent


class Failed(Exception):  # noqa: N818 - what happened to a scan
    """A scan did not end as it should; the message is the reason."""


class Point(NamedTuple):
    """One size, cold and warm; or why there is nothing."""

    files: int
    cold: Cost | None = None
    warm: Cost | None = None
    problem: str = ""


def main() -> None:
    """Make the trees, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=3_600.0, help="seconds for one run")
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    kept = args.scratch is not None
    scratch = args.scratch.resolve() if kept else Path(tempfile.mkdtemp(prefix="agentcheck-"))
    try:
        about = machine()
        points = [_measured(size, args.rounds, args.limit, scratch) for size in (1, *args.sizes)]
        text = f"{about}\n\n{_table(points)}"
        sys.stdout.write(f"{text}\n")
        if args.write:
            picture = "![CPU per file, cold and warm, by the number of files](growth.svg)"
            write_section(HERE / "README.md", "growth", f"{text}\n\n{picture}")
            if sum(one.cold is not None for one in points[1:]) > 1:
                (HERE / "growth.svg").write_text(_picture(points[1:]), "utf-8")
    finally:
        if not kept:
            shutil.rmtree(scratch, ignore_errors=True)


def _measured(files: int, rounds: int, limit: float, scratch: Path) -> Point:
    tree = scratch / f"tree-{files}"
    shutil.rmtree(tree, ignore_errors=True)
    write_tree(tree, files)
    cold, warm = list[Cost](), list[Cost]()
    try:
        for number in range(rounds):
            sys.stderr.write(f"{files} files, round {number + 1} of {rounds}\n")
            cache = scratch / "cache"
            shutil.rmtree(cache, ignore_errors=True)
            cold.append(_scan(tree, cache, scratch, limit))
            warm.append(_scan(tree, cache, scratch, limit))
    except Failed as reason:
        return Point(files, problem=str(reason))
    return Point(files, median(cold), median(warm))


def _scan(tree: Path, cache: Path, scratch: Path, limit: float) -> Cost:
    report = str(scratch / "report.json")
    command = [sys.executable, "-m", "agentcheck", "scan", str(tree), "--isolated", "--exit-zero"]
    command += ["--output-format", "json", "--output-file", report]
    errors = scratch / "errors.txt"
    env = environment({"AGENTCHECK_CACHE_DIR": str(cache)})
    cost = measure(command, env=env, errors=errors, limit=limit)
    if cost.wall >= limit:
        raise Failed(f"not done within {limit:g} s")
    if cost.code:
        raise Failed(f"exit code {cost.code}: {last_line(errors.read_text('utf-8', 'replace'))}")
    return cost


def _table(points: list[Point]) -> str:
    lines = [
        "| files | cold CPU s | ms a file | wall s | peak MB | warm CPU s | ms a file | wall s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *map(_row, points)])


def _row(one: Point) -> str:
    cold, warm = one.cold, one.warm
    if cold is None or warm is None:
        return f"| {one.files:,} | {one.problem} | | | | | | |"
    return (
        f"| {one.files:,} | {cold.cpu:.2f} | {_each(cold, one):.1f} | {cold.wall:.2f} "
        f"| {cold.peak:.0f} | {warm.cpu:.2f} | {_each(warm, one):.2f} | {warm.wall:.2f} |"
    )


def _each(cost: Cost, one: Point) -> float:
    return cost.cpu / one.files * 1000


def _picture(points: list[Point]) -> str:
    cold = [(one.files, _each(one.cold, one)) for one in points if one.cold]
    warm = [(one.files, _each(one.warm, one)) for one in points if one.warm]
    lines = [Line("cold", "#c2410c", cold), Line("warm", "#1d4ed8", warm)]
    return plot(lines, "files", "CPU ms a file")


if __name__ == "__main__":
    main()
