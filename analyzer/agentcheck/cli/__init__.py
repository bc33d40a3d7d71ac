"""The command line: arguments in, one report out, and an exit code that means something.

0: nothing to report; 1: findings; 2: the tool could not do its work; 130: interrupted.
Every error is one line on stderr; with AGENTCHECK_TRACEBACK=1 it is a traceback.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import NoReturn

from agentcheck.cli.errors import explain

FAILED = 2
INTERRUPTED = 130
PIPE_CLOSED = 141  # what a shell reports for a command that SIGPIPE ended


def main(argv: list[str] | None = None) -> NoReturn:
    """Run a command line, by default that of the process, and leave with its exit code."""
    # A command lives for seconds: looking for cycles that often costs more than they weigh.
    gc.set_threshold(50_000, 20, 100)
    _leave(run_command(sys.argv[1:] if argv is None else argv))


def _leave(code: int) -> NoReturn:
    """End the process, without taking apart what it holds: of a large target, a second's work."""
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = PIPE_CLOSED
    os._exit(code)


def run_command(argv: list[str]) -> int:
    """Run a command line and give its exit code; errors are on stderr by then."""
    import typer

    from agentcheck.cli.app import app
    from agentcheck.cli.output import PipeClosed

    try:
        code = app(argv or ["--help"], prog_name="agentcheck", standalone_mode=False)
    except PipeClosed:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the exit would try to flush again
        return PIPE_CLOSED
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("AGENTCHECK_TRACEBACK"):
            raise
        sys.stderr.write(f"agentcheck: error: {explain(error)}\n")
        return FAILED
    return code if isinstance(code, int) else 0
