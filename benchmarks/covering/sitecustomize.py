"""Notes every Python file that a Python program opens, in the file that COVERING_LOG names.

Put in front of PYTHONPATH, it says what a scanner has really read, whatever its report says. Each
process of a pool writes lines of its own, short enough not to be torn apart.
"""

from __future__ import annotations

import os
import sys

_LOG = os.environ.get("COVERING_LOG")
_BELOW = os.environ.get("COVERING_BELOW", "")


def _note(event: str, args: tuple[object, ...]) -> None:
    if event == "open" and args and isinstance(args[0], (str, bytes)):
        path = os.fsdecode(args[0])
        if path.endswith((".py", ".ipynb")):
            path = os.path.abspath(path)  # noqa: PTH100 - pathlib would be imported everywhere
            if path.startswith(_BELOW) and _FILE is not None:
                os.write(_FILE, f"{path}\n".encode("utf-8", "surrogateescape"))


_FILE = os.open(_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if _LOG else None
if _FILE is not None:
    sys.addaudithook(_note)
