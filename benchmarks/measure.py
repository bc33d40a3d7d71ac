"""Measure the command on checkouts: CPU seconds, wall seconds and peak memory, medians of N runs.

    python benchmarks/measure.py [--runs 3] CHECKOUT...

Every run is a process of its own. CPU is user plus system time of the command and its workers;
peak memory is that of its largest process. The first row is `agentcheck --help`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    """CPU seconds, wall seconds, peak megabytes and exit code of one run."""

    cpu: float
    wall: float
    peak: float
    code: int


def measure(
    command: list[str],
    *,
    env: Mapping[str, str] | None = None,
    errors: Path | None = None,
    limit: float | None = None,
) -> Cost:
    """Run a command; `errors` is a file for its stderr, `limit` the seconds after which it and all
    that it started are killed."""
    with (errors or Path(os.devnull)).open("wb") as stderr:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=stderr, env=env, start_new_session=True
        )
        timer = threading.Timer(limit or 1e6, os.killpg, (process.pid, signal.SIGKILL))
        timer.daemon = True
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(cpu, wall, usage.ru_maxrss / 1024, process.returncode)


def median(found: Sequence[Cost]) -> Cost:
    """The median of each figure, and the last exit code."""
    cpu, wall, peak = (statistics.median(f[i] for f in found) for i in range(3))
    return Cost(cpu, wall, peak, found[-1].code)


def row(label: str, command: list[str], runs: int) -> str:
    """One line of the table."""
    cost = median([measure(command) for _ in range(runs)])
    return f"| {label} | {cost.cpu:.2f} | {cost.wall:.2f} | {cost.peak:.0f} | {cost.code} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("checkouts", nargs="+", type=Path)
    args = parser.parse_args()
    command = shutil.which("agentcheck")
    if command is None:
        sys.exit("agentcheck is not installed here: pip install .")
    print("| command | CPU s | wall s | peak MB | exit |\n|---|---|---|---|---|")
    print(row("`agentcheck --help`", [command, "--help"], args.runs))
    for checkout in args.checkouts:
        scan = [command, "scan", str(checkout), "--output-format", "json"]
        print(row(f"`agentcheck scan {checkout.name}`", scan, args.runs))


if __name__ == "__main__":
    main()
