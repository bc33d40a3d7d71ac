"""Measure the command on checkouts: CPU seconds, wall seconds and peak memory, medians of N runs.

    python benchmarks/measure.py [--runs 3] CHECKOUT...

Every run is a process of its own. CPU is user plus system time of the command and its workers;
peak memory is that of its largest process. The first row is `agentcheck --help`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path


def measure(command: list[str]) -> tuple[float, float, float, int]:
    """CPU seconds, wall seconds, peak megabytes and exit code of one run."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return cpu, wall, usage.ru_maxrss / 1024, process.returncode


def row(label: str, command: list[str], runs: int) -> str:
    """One line of the table."""
    found = [measure(command) for _ in range(runs)]
    cpu, wall, peak = (statistics.median(f[i] for f in found) for i in range(3))
    return f"| {label} | {cpu:.2f} | {wall:.2f} | {peak:.0f} | {found[-1][3]} |"


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
