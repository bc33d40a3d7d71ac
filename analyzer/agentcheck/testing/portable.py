"""Copy this package, alone, to a folder: for the path of an environment without agentcheck.

    python -m agentcheck.testing.portable FOLDER
    PYTHONPATH=FOLDER python -m pytest -p agentcheck.testing.plugin

The folder of an installed agentcheck would put all it depends on before what the environment has.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path


def copy_to(folder: Path) -> Path:
    """Copy `agentcheck/__init__.py` and `agentcheck/testing` below the folder; the folder.

    Raises OSError where it cannot be written. Copying again writes over what was there.
    """
    here = Path(__file__).parent
    target = folder / "agentcheck"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(here.parent / "__init__.py", target / "__init__.py")
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(here, target / "testing", ignore=skipped, dirs_exist_ok=True)
    return folder


def main(arguments: list[str]) -> int:
    """Copy to the folder that the command line names; the status to exit with."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m agentcheck.testing.portable FOLDER\n")
        return 2
    try:
        copy_to(Path(arguments[0]))
    except OSError as error:
        sys.stderr.write(f"agentcheck.testing cannot be copied to {arguments[0]}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
