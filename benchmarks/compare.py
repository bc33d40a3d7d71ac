"""Measure agentcheck beside bare parsers and other scanners, in one run, on the same files.

    python benchmarks/compare.py --target CHECKOUT[#COMMIT] [--scratch DIR] [--rounds 3] [--write]
                                 [--only agent-audit LibCST ...]

`--target` may be repeated. Everything runs on copies below the scratch folder, which is kept and
used again where it is named, the other tools in environments that are made there. First each runs
once unmeasured, and what it opened is counted; then all take turns, round after round, and the
medians are printed as a table. CPU is user plus system time of the command and its workers, peak
memory that of its largest process. `--write` puts the tables into README.md beside this file. A
tool that does not install, fails or takes longer than `--limit` seconds is a row with its reason.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from contestants import TOOLS, install, of_this_environment
from covered import covered, environment
from machine import commit_of, machine
from measure import Cost, measure, median
from rows import Place, Row, place_of, rows_of
from tables import Figures, table, write_section

README = Path(__file__).resolve().parent / "README.md"


def main() -> None:
    """Install, measure, print."""
    args = _arguments()
    kept = args.scratch is not None
    scratch = args.scratch.resolve() if kept else Path(tempfile.mkdtemp(prefix="agentcheck-"))
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        sections = [machine()]
        tools = [install(tool, scratch) for tool in TOOLS]
        version, libcst = of_this_environment("agentcheck-audit"), of_this_environment("libcst")
        for target in args.target:
            path, _, commit = target.partition("#")
            place = place_of(Path(path), scratch)
            rows = [r for r in rows_of(place, version, libcst, tools) if _asked(r, args.only)]
            figures = _measured(rows, place, args.rounds, args.limit)
            sections.append(table(place, commit or commit_of(Path(path)), figures, args.rounds))
            sys.stdout.write(f"{sections[-1]}\n")
        if args.write:
            write_section(README, "compare", "\n\n".join(sections))
    finally:
        if not kept:
            shutil.rmtree(scratch, ignore_errors=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--target", action="append", required=True, metavar="CHECKOUT[#COMMIT]")
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one run")
    parser.add_argument("--only", nargs="*", default=(), metavar="WORD", help="parts of labels")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    return parser.parse_args()


def _asked(row: Row, only: Sequence[str]) -> bool:
    return not only or any(word in row.label for word in only)


def _measured(rows: list[Row], place: Place, rounds: int, limit: float) -> list[Figures]:
    """Each row once to see what it does, then all in turns."""
    tried = [_tried(row, place, limit) for row in rows]
    found: list[list[Cost]] = [[] for _ in rows]
    for number in range(rounds):
        for index, row in enumerate(rows):
            if not tried[index].problem:
                _say(f"{place.name}, round {number + 1} of {rounds}: {row.label}")
                row.before()
                found[index].append(measure(row.command, env=environment(row.env()), limit=limit))
    return [_with_cost(one, costs) for one, costs in zip(tried, found, strict=True)]


def _with_cost(one: Figures, costs: list[Cost]) -> Figures:
    failed = next((cost.code for cost in costs if cost.code not in (0, 1)), None)
    if failed is not None:
        return one._replace(problem=f"worked once, then ended with exit code {failed}")
    return one._replace(cost=median(costs)) if costs else one


def _tried(row: Row, place: Place, limit: float) -> Figures:
    """The files that a row's command opens, or why it cannot be measured."""
    figures = Figures(row.label, row.version)
    if row.problem:
        return figures._replace(problem=row.problem)
    _say(f"{place.name}, trying {row.label}")
    files, problem = covered(row, place, limit)
    return figures._replace(files=files, problem=problem)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
