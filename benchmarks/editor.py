"""Measure the language server: from a change of an open file to its diagnostics.

    python benchmarks/editor.py [--rounds 5] CHECKOUT FILE

It starts `agentcheck server` on a copy of the checkout, waits for the first audit, then adds a
comment to FILE again and again, unsaved. Seconds from the change to the answer, the pause that the
server waits for included, and CPU seconds of the server for it (where /proc tells them); medians.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.editor_client import Editor

BROKEN = "def broken(:\n"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("file", type=Path, help="relative to the checkout")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch).resolve() / args.checkout.name
        shutil.copytree(args.checkout, copy, symlinks=True)
        os.environ["AGENTCHECK_CACHE_DIR"] = str(Path(scratch) / "cache")
        measure(copy, copy / args.file, args.rounds)


def measure(folder: Path, path: Path, rounds: int) -> None:
    """Open a file, change it, and print what each answer took."""
    text = path.read_text("utf-8")
    editor = Editor(folder, {}, patience=900.0)
    try:
        first = answered(editor, path, BROKEN, opened=True)
        print(f"first audit: {first[0]:.2f} s, {first[1]:.2f} s of CPU, {peak(editor)} MB at most")
        found = [answered(editor, path, f"{text}# {n}\n") for n in range(rounds)]
        wall, cpu = (statistics.median(one[i] for one in found) for i in range(2))
        print(f"one change: {wall:.2f} s, {cpu:.2f} s of CPU, {peak(editor)} MB at most")
    finally:
        editor.close()


def answered(editor: Editor, path: Path, text: str, *, opened: bool = False) -> tuple[float, float]:
    """Wall and CPU seconds from telling a text to its diagnostics.

    Of a file without findings nothing is told: it is broken first, which is always told.
    """
    if not opened:
        editor.change(path, BROKEN)
        editor.diagnostics(path)
    started, used = time.perf_counter(), cpu_of(editor)
    (editor.open if opened else editor.change)(path, text)
    editor.diagnostics(path)
    return time.perf_counter() - started, cpu_of(editor) - used


def cpu_of(editor: Editor) -> float:
    """User and system seconds of the server and of its workers that ended."""
    stat = Path(f"/proc/{editor.process.pid}/stat")
    if not stat.exists():
        return float("nan")
    fields = stat.read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def peak(editor: Editor) -> str:
    """The most resident memory of the server so far, in megabytes."""
    status = Path(f"/proc/{editor.process.pid}/status")
    if not status.exists():
        return "?"
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return f"{int(lines['VmHWM'].split()[0]) / 1024:.0f}"


if __name__ == "__main__":
    main()
