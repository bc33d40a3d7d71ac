"""CPU time of our positions against LibCST's own, on the modules of this Python.

Run as `python benchmarks/positions.py [FOLDER]`; prints multiples of the time LibCST takes to
parse, and the ratio of the two.
"""

from __future__ import annotations

import gc
import sys
import sysconfig
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from agentcheck.source.positions import Positions

T = TypeVar("T")


def main(folder: Path) -> None:
    parse = ours = theirs = 0.0
    gc.disable()
    for path in sorted(folder.glob("*.py"))[::4]:
        text = path.read_text(encoding="utf-8")
        spent, module = timed(partial(cst.parse_module, text))
        parse += spent
        ours += timed(partial(Positions, module, text))[0]
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        theirs += timed(partial(wrapper.resolve, PositionProvider))[0]
    show(f"parse {parse:.2f} s, ours {ours / parse:.2f} x, LibCST's {theirs / parse:.2f} x parse")
    show(f"LibCST's / ours: {theirs / ours:.1f}")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def show(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_paths()["stdlib"]))
