"""What a measurement was made on: the machine, and the state of a target."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from pathlib import Path


def machine() -> str:
    """One sentence on the machine, its system, its Python and how busy it was."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"{cores} cores of {_processor()}, {system}{load}."


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


def commit_of(folder: Path) -> str:
    """The commit of a checkout; of a plain folder a hash of its Python files."""
    command = ["git", "-C", str(folder), "rev-parse", "--short=8", "HEAD"]
    if (folder / ".git").exists():
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return f"no commit, sha256 of its .py files {digest.hexdigest()[:12]}"
