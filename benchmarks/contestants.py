"""Who is measured beside agentcheck, where it is installed, and how it is called.

Each is installed from the package index into an environment of its own. All are given the whole
target, tests included, and write a report for programs; none of them is told to use a cache.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Tool(NamedTuple):
    """A package, its program and the arguments for a target and a report."""

    package: str
    program: str
    arguments: Callable[[str, str], list[str]]
    python: bool = True


TOOLS = (
    Tool(
        "ruff",
        "ruff",
        lambda target, report: [
            *("check", "--isolated", "--no-cache", "--output-format", "json"),
            *("--output-file", report, target),
        ],
        python=False,
    ),
    Tool("bandit", "bandit", lambda target, report: ["-r", target, "-f", "json", "-o", report]),
    Tool(
        "agent-audit",
        "agent-audit",
        lambda target, report: ["scan", target, "--format", "json", "-o", report],
    ),
    Tool(
        "agentguard-linter",
        "agentguard",
        lambda target, report: ["scan", target, "--format", "json", "--output", report],
    ),
    Tool(
        "aigis-lint",
        "aigis",
        lambda target, report: [
            *("scan", target, "--format", "json", "--output", report, "--no-default-excludes"),
        ],
    ),
    Tool(
        "actenon-scan",
        "actenon-scan",
        lambda target, report: [
            *("scan", target, "--format", "json", "--output", report),
            *("--no-cache", "--include-fixtures"),
        ],
    ),
)


class Installed(NamedTuple):
    """A tool that can be run, or the reason why not."""

    tool: Tool
    home: Path
    version: str = ""
    problem: str = ""

    @property
    def program(self) -> str:
        """The path of its program."""
        return str(self.home / "bin" / self.tool.program)


def install(tool: Tool, scratch: Path) -> Installed:
    """Install a tool below a folder, unless an earlier run has."""
    home = scratch / "tools" / tool.package
    python = home / "bin" / "python"
    if not (home / "bin" / tool.program).exists():
        venv.create(home, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*pip, tool.package], capture_output=True, text=True, check=False)
        if done.returncode:
            return Installed(tool, home, problem=f"does not install: {last_line(done.stderr)}")
    code = f"from importlib.metadata import version; print(version({tool.package!r}))"
    told = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    return Installed(tool, home, told.stdout.strip())


def last_line(text: str) -> str:
    """The last line that says anything, short enough for a table."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].replace("|", "/")[:160] if lines else "no reason given"


def of_this_environment(package: str) -> str:
    """The version of a package beside agentcheck."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return told.stdout.strip()
