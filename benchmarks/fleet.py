"""Measure `agentcheck fleet`: memory by number of targets, and one worker against two.

    python benchmarks/fleet.py [--targets 5 20 40] [--runs 3] CHECKOUT

The targets are copies of a checkout, each with a comment of its own in every Python file, so that
no two have anything in common; without the cache. Memory is the sum over the command and all
processes below it, each page counted once (PSS, or RSS where the kernel does not tell), sampled
ten times a second; Linux only. Runs of one and of two workers alternate.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def prepared(checkout: Path, folder: Path, count: int) -> Path:
    """A list of that many copies."""
    names = []
    for number in range(count):
        copy = folder / f"{checkout.name}-{number}"
        if not copy.exists():
            shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git"), symlinks=True)
            for path in copy.rglob("*.py"):
                if path.is_file() and not path.is_symlink():
                    path.write_bytes(path.read_bytes() + b"\n# copy %d\n" % number)
        names.append(f"{copy}\n")
    listed = folder / f"list-{count}.txt"
    listed.write_text("".join(names), "utf-8")
    return listed


def measure(listed: Path, jobs: int) -> tuple[float, float, float, float]:
    """Wall and CPU seconds, and peak megabytes of all processes and of the command alone."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "agentcheck", "fleet", str(listed), "-o", out]
        options = ["--jobs", str(jobs), "--no-cache", "--isolated", "--exit-zero", "-q"]
        started, before = time.perf_counter(), _cpu()
        process = subprocess.Popen([*command, *options])
        most, own = 0.0, 0.0
        while process.poll() is None:
            sizes = {pid: _memory(pid) for pid in _below(process.pid)}
            most, own = max(most, sum(sizes.values())), max(own, sizes.get(process.pid, 0.0))
            time.sleep(0.1)
        if process.returncode:
            sys.exit(f"agentcheck fleet ended with {process.returncode}")
        return time.perf_counter() - started, _cpu() - before, most, own


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _below(pid: int) -> set[int]:
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _memory(pid: int) -> float:
    for name, key in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        try:
            text = Path(f"/proc/{pid}/{name}").read_text()
        except OSError:
            continue
        for line in text.splitlines():
            if line.startswith(key):
                return int(line.split()[1]) / 1000
    return 0.0


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", type=int, nargs="+", default=[5, 20, 40])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("checkout", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lists = [prepared(args.checkout, Path(folder), count) for count in sorted(args.targets)]
        print("| targets | wall s | CPU s | peak MB, all processes | of it the command |")
        print("|---|---|---|---|---|")
        for count, listed in zip(sorted(args.targets), lists, strict=True):
            wall, cpu, most, own = measure(listed, 2)
            print(f"| {count} | {wall:.1f} | {cpu:.1f} | {most:.0f} | {own:.0f} |", flush=True)
        pairs = [(measure(lists[-1], 1), measure(lists[-1], 2)) for _ in range(args.runs)]
        print(f"\n{max(args.targets)} targets, medians of {args.runs}:")
        for number, word in enumerate(("wall", "CPU")):
            one, two = (statistics.median(pair[n][number] for pair in pairs) for n in range(2))
            ratio = statistics.median(first[number] / second[number] for first, second in pairs)
            print(f"{word}: one worker {one:.1f} s, two {two:.1f} s, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
