"""Cold with one and two workers, warm, and after one file has changed: what a scan costs.

    python benchmarks/changed.py [--made 4000] [--target CHECKOUT...] [--rounds 3]

Each target is copied to a scratch folder. Rounds take turns; the figures are medians. The file
that changes gets one more comment: it is the one in the middle of all that are no tests, by name.
The ratio is that of the wall seconds of one worker and of two, each from an empty cache.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from covered import environment
from machine import machine
from made_tree import write_tree
from measure import Cost, measure, median
from rows import code_of

_KINDS = ("cold, --jobs 1", "cold, --jobs 2", "warm", "one file changed")
_HEAD = "| target | what | CPU s | wall s | peak MB |\n|---|---|---|---|---|"


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--made", type=int, default=0, metavar="FILES")
    parser.add_argument("--target", type=Path, nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--format", default="concise")
    args = parser.parse_args()
    print(f"{machine()}\n\n{_HEAD}")
    with tempfile.TemporaryDirectory(prefix="agentcheck-") as scratch:
        for name, tree in _targets(args.made, args.target, Path(scratch)):
            _table(name, tree, args.rounds, args.format)


def _targets(made: int, targets: list[Path], scratch: Path) -> list[tuple[str, Path]]:
    found = []
    if made:
        write_tree(scratch / "made", made)
        found.append((f"made_tree, {made:,} files", scratch / "made"))
    for target in targets:
        copy = scratch / target.name
        shutil.copytree(target, copy, symlinks=True)
        found.append((target.name, copy))
    return found


def _table(name: str, tree: Path, rounds: int, form: str) -> None:
    costs: dict[str, list[Cost]] = {kind: [] for kind in _KINDS}
    files = code_of(tree)
    changing = files[len(files) // 2]
    for number in range(rounds):
        for jobs in (1, 2):
            shutil.rmtree(tree.parent / "cache", ignore_errors=True)
            costs[f"cold, --jobs {jobs}"].append(_scan(tree, form, "--jobs", str(jobs)))
        costs["warm"].append(_scan(tree, form))
        with changing.open("a", encoding="utf-8") as file:
            file.write(f"\n# change {number}\n")
        costs["one file changed"].append(_scan(tree, form))
    for kind, found in costs.items():
        cost = median(found)
        print(f"| {name} | {kind} | {cost.cpu:.2f} | {cost.wall:.2f} | {cost.peak:.0f} |")
    one, two = (median(costs[kind]).wall for kind in _KINDS[:2])
    print(f"| {name} | one worker to two | | {one / two:.2f} | |", flush=True)


def _scan(tree: Path, form: str, *more: str) -> Cost:
    command = [sys.executable, "-m", "agentcheck", "scan", str(tree), "--isolated", "--exit-zero"]
    env = environment({"AGENTCHECK_CACHE_DIR": str(tree.parent / "cache")})
    return measure([*command, "--output-format", form, *more], env=env)


if __name__ == "__main__":
    main()
