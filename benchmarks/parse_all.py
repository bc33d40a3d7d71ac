"""Parse every .py file below a folder and do nothing with it: the floor that others stand on.

    python benchmarks/parse_all.py libcst|ast FOLDER

One process, the trees thrown away. Files that do not parse are passed over and counted.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable
from pathlib import Path


def main(parser: str, folder: Path) -> None:
    """Parse, and print how many files did."""
    parse = _libcst() if parser == "libcst" else ast.parse
    files, failed = sorted(folder.rglob("*.py")), 0
    for path in files:
        try:
            parse(path.read_bytes())
        except Exception:  # noqa: BLE001 - each parser has errors of its own
            failed += 1
    print(f"{len(files) - failed} of {len(files)} files parsed")


def _libcst() -> Callable[[bytes], object]:
    import libcst

    return libcst.parse_module


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1], Path(sys.argv[2]))
