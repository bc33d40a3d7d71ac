"""`agentcheck fleet --cluster`: a Dask cluster of two workers, one of them killed in the midst.

The workers are processes of their own on this machine, as an operator would start them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Here, agentcheck
from tests.fleet_targets import (
    BOUNDED,
    Fleet,
    agent,
    children,
    hanging,
    kill,
    listed,
    needs_proc,
    repository,
    rows,
    runs,
    until,
)
from tests.git_targets import needs_git

DASK = find_spec("distributed") is not None
OPTIONS = ("--isolated", "--select", "AC101,AC201", "--format", "json")


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


class Cluster:
    """A scheduler and two workers with one thread each, in a folder for what they write."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        path = os.pathsep.join(sys.path)
        self._env = {**os.environ, **env, "PYTHONPATH": path, "TMPDIR": str(folder)}
        self._folder = folder
        scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.address = until(lambda: self._address("scheduler"))
        one = ("--nthreads", "1", "--nworkers", "1", "--no-dashboard", "--host", "127.0.0.1")
        nannies = [self._start("worker", self.address, *one, log=f"worker{n}") for n in range(2)]
        self._processes = [*nannies, scheduler]
        self._nannies = [process.pid for process in nannies]

    def _start(self, *args: str, log: str = "") -> subprocess.Popen[bytes]:
        with (self._folder / f"{log or args[0]}.log").open("wb") as file:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *args],
                env=self._env,
                cwd=self._folder,
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    def _address(self, log: str) -> str | None:
        found = re.search(r"Scheduler at:\s+(tcp://\S+)", (self._folder / f"{log}.log").read_text())
        return found[1] if found else None

    def busy_worker(self) -> int | None:
        """The worker that waits for git: below its nanny, above the process that asked git."""
        for worker in (pid for nanny in self._nannies for pid in children(nanny)):
            if any(children(child) for child in children(worker)):
                return worker
        return None

    def close(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(30)


@pytest.fixture
def shaky(tmp_path: Path) -> Iterator[tuple[Cluster, Path]]:
    """A cluster whose git hangs where it first calls ssh, and the file that tells of it."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    env, mark = hanging(folder, once=True)
    made = Cluster(folder, env)
    try:
        yield made, mark
    finally:
        made.close()


def compared(text: str) -> dict[str, Any]:
    """The numbers without the time and memory that they took."""
    fleet: dict[str, Any] = json.loads(text)
    for target in fleet["targets"]:
        del target["seconds"], target["peak_mb"]
    return {"targets": fleet["targets"], "rules": fleet["rules"]}


@pytest.mark.slow
@pytest.mark.skipif(not DASK, reason="the extra `fleet` is not installed")
@needs_git
@needs_proc
def test_a_worker_killed_in_the_midst_loses_and_doubles_nothing(
    shaky: tuple[Cluster, Path], tmp_path: Path
) -> None:
    cluster, mark = shaky
    fetched = repository(tmp_path / "fetched")
    agents = [agent(tmp_path / f"agent{n}", BOUNDED if n % 2 else "") for n in range(4)]
    more = [agent(tmp_path / f"more{n}") for n in range(4)]
    broken = f"file://{tmp_path}/gone.git"
    address = f"ssh://host.example{fetched.folder}"
    trace = runs(tmp_path / "runs.jsonl")
    path = listed(tmp_path / "list.txt", *agents, address, *more, trace, broken)
    out = tmp_path / "out"

    fleet = Fleet(path, "-o", out, "--cluster", cluster.address, *OPTIONS, env={})
    until(mark.exists)
    kill(until(cluster.busy_worker))
    code, told, err = fleet.done()
    assert (code, err) == (1, "")
    assert rows(out, "SELECT count(*), count(DISTINCT target) FROM result") == [(11, 11)]

    # The mark is there, so that git does not hang again.
    env, _ = hanging(tmp_path / "cluster", once=True)
    local = agentcheck("fleet", path, "-o", tmp_path / "local", *OPTIONS, env=env)
    assert compared(told) == compared(local.out)


@pytest.mark.skipif(DASK, reason="the extra `fleet` is installed")
def test_without_dask_it_says_what_to_install(here: Here, tmp_path: Path) -> None:
    target = agent(tmp_path / "one")
    done = here("fleet", "-t", target, "-o", tmp_path / "out", "--cluster", "tcp://127.0.0.1:1")
    assert done.code == 2
    assert done.error == (
        "--cluster needs Dask, which is an extra: pip install 'agentcheck-audit[fleet]'"
    )


@pytest.mark.slow
@pytest.mark.skipif(not DASK, reason="the extra `fleet` is not installed")
def test_without_a_scheduler_it_says_so_and_starts_no_run(tmp_path: Path) -> None:
    target, out = agent(tmp_path / "one"), tmp_path / "out"
    done = agentcheck("fleet", "-t", target, "-o", out, "--cluster", "tcp://127.0.0.1:1")
    assert done.code == 2
    assert "--cluster tcp://127.0.0.1:1: Timed out trying to connect" in done.error
