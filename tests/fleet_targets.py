"""Targets for `agentcheck fleet`: small agents, and repositories behind addresses that can hang."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.git_targets import Repository

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")

ENDLESS = """\
from openai import OpenAI

client = OpenAI()


def answer(messages):
    while True:
        reply = client.chat.completions.create(model="gpt-4o", messages=messages, timeout=9)
        messages.append(reply.choices[0].message)
"""
BOUNDED = ENDLESS.replace("while True:", "for _ in range(3):")
_PATIENCE = 60.0

# What git calls in the place of ssh: it hangs once, then serves the repository that is asked for.
_HANGS_ONCE = """\
#!/bin/sh
if [ ! -e "{mark}" ]; then
  touch "{mark}"
  exec sleep 600
fi
for last; do :; done
exec sh -c "$last"
"""
_HANGS = "#!/bin/sh\ntouch '{mark}'\nexec sleep 600\n"


def agent(folder: Path, text: str = ENDLESS) -> Path:
    """A folder with one agent in it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "agent.py").write_text(text, "utf-8")
    return folder


def repository(folder: Path, text: str = ENDLESS) -> Repository:
    """The same as a repository with one commit."""
    made = Repository(agent(folder, text))
    made.commit()
    return made


def runs(path: Path, text: str = "Where is my parcel?") -> Path:
    """A file with one recorded run."""
    talk = [{"role": "user", "content": text}, {"role": "assistant", "content": "On shelf 4."}]
    path.write_text(json.dumps({"messages": talk}) + "\n", "utf-8")
    return path


def listed(path: Path, *targets: str | Path) -> Path:
    """A list of targets."""
    path.write_text("".join(f"{target}\n" for target in targets), "utf-8")
    return path


def hanging(folder: Path, *, once: bool) -> tuple[dict[str, str], Path]:
    """An environment in which git hangs where it should call ssh, and the file that tells so."""
    mark, script = folder / "hangs", folder / "ssh.sh"
    script.write_text((_HANGS_ONCE if once else _HANGS).format(mark=mark), "utf-8")
    script.chmod(0o755)
    return {"GIT_SSH_COMMAND": str(script), "GIT_SSH_VARIANT": "simple"}, mark


class Fleet:
    """`agentcheck fleet` as a process that something happens to while it runs."""

    def __init__(self, *args: str | Path, env: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agentcheck", "fleet", *map(str, args)],
            env={**os.environ, **env, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def workers(self) -> list[int]:
        """The processes that look at targets."""
        return children(self.process.pid)

    def done(self) -> tuple[int, str, str]:
        """The exit code, stdout and stderr once it has ended."""
        out, err = self.process.communicate(timeout=_PATIENCE)
        return self.process.returncode, out.decode(), err.decode()


def children(pid: int) -> list[int]:
    """The processes that a process has started and that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):  # it has ended meanwhile
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(path.parent.name))
    return found


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def until(true: Callable[[], Any]) -> Any:
    """Wait until something is so, and give what it gave. Fails where that takes too long."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        found = true()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("waited in vain")


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    """What the store in a folder answers."""
    path = folder / "fleet.db"
    if not path.exists():
        return []
    file = sqlite3.connect(path)
    try:
        return file.execute(query).fetchall()
    finally:
        file.close()
