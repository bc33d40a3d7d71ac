"""Throughput of an audit of recorded runs, as a multiple of what orjson takes to decode them.

    python benchmarks/trace_speed.py [--megabytes 100] [--pairs 5] [--jobs 2] [SHAPE...]

Writes a file of each shape (`trace_shapes`) to a temporary folder. For each file it decodes every
line with orjson and asks every check about every run, one after the other in this process, and
gives the median over the pairs of the quotient of CPU seconds, once more of wall seconds with
`--jobs` processes, and the peak of resident memory. `all` reads the files together, in parallel.
"Busier" is the quotient of CPU seconds to those of the busiest of the processes, which is what the
wall ratio comes to where nothing else runs.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson
from trace_shapes import SHAPES, lines

from agentcheck.config import load_settings
from agentcheck.run import Request, run


class Spent(NamedTuple):
    """Seconds of this process's CPU, of that of those it started, and on the wall."""

    cpu: float
    others: float
    wall: float


def spent(work: Callable[[], object]) -> Spent:
    """What some work takes."""
    before = _clocks()
    work()
    return Spent(*(after - start for after, start in zip(_clocks(), before, strict=True)))


def _clocks() -> tuple[float, float, float]:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time(), children.ru_utime + children.ru_stime, time.perf_counter()


def decode(paths: list[Path]) -> None:
    """What is measured against."""
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                orjson.loads(line)


def audit(paths: list[Path], jobs: int) -> int:
    """Every check on every run; the number of runs."""
    settings = load_settings(paths[0].parent, isolated=True)
    request = Request(traces=tuple(map(str, paths)), jobs=jobs, tests=False)
    return run(request, settings).target.runs


def row(label: str, paths: list[Path], pairs: int, jobs: int) -> str:
    """One line of the table."""
    size = sum(path.stat().st_size for path in paths) / 1e6
    runs = audit(paths, 1) if size < 50 else 0  # what is imported and compiled once
    cpu, busier, wall, speed = [], [], [], []
    for _ in range(pairs):
        ours, theirs = spent(lambda: audit(paths, 1)), spent(lambda: decode(paths))
        spread = spent(lambda: audit(paths, jobs))
        cpu.append(theirs.cpu / ours.cpu)
        busier.append(theirs.cpu / max(spread.cpu, spread.others / max(jobs - 1, 1)))
        wall.append(theirs.wall / spread.wall)
        speed.append(size / ours.cpu)
    runs = runs or audit(paths, jobs)
    median = statistics.median
    return (
        f"| {label} | {size:.0f} MB, {runs} runs | {median(speed):.0f} MB/s | {median(cpu):.2f} "
        f"({min(cpu):.2f} to {max(cpu):.2f}) | {median(busier):.2f} ({min(busier):.2f} to "
        f"{max(busier):.2f}) | {median(wall):.2f} ({min(wall):.2f} to {max(wall):.2f}) "
        f"| {_peak():.0f} MB |"
    )


def _peak() -> float:
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return max(resource.getrusage(kind).ru_maxrss for kind in kinds) / 1024


def main() -> None:
    """Write, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("shapes", nargs="*", default=[*SHAPES, "all"])
    args = parser.parse_args()
    say = sys.stdout.write
    say("| shape | file | one core | CPU ratio | busier | wall ratio | peak |\n")
    say("|---|---|---|---|---|---|---|\n")
    with tempfile.TemporaryDirectory() as folder:
        files = {shape: Path(folder, f"{shape}.jsonl") for shape in SHAPES}
        for shape in SHAPES if "all" in args.shapes else args.shapes:
            with files[shape].open("w", encoding="utf-8") as file:
                file.writelines(lines(shape, args.megabytes * 1_000_000))
        for shape in args.shapes:
            paths = list(files.values()) if shape == "all" else [files[shape]]
            say(row(shape, paths, args.pairs, args.jobs) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
