"""What a fleet loses and doubles where workers die and runs are interrupted: nothing."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from tests.command_line import agentcheck
from tests.fleet_targets import (
    Fleet,
    agent,
    children,
    hanging,
    kill,
    listed,
    needs_proc,
    repository,
    rows,
    until,
)
from tests.git_targets import needs_git

pytestmark = [needs_git, needs_proc]

OPTIONS = ("--isolated", "--select", "AC101", "-q")
DONE = "SELECT status, count(*) FROM seen JOIN result ON result.id = result GROUP BY status"


def hanging_worker(fleet: Fleet) -> int:
    """The worker that waits for git."""

    def found() -> int | None:
        return next((pid for pid in fleet.workers() if children(pid)), None)

    pid: int = until(found)
    return pid


def test_a_target_whose_worker_was_killed_is_tried_once_more(tmp_path: Path) -> None:
    made = repository(tmp_path / "fetched")
    agents = [agent(tmp_path / f"agent{n}") for n in range(3)]
    env, mark = hanging(tmp_path, once=True)
    path = listed(tmp_path / "list.txt", f"ssh://host.example{made.folder}", *agents)
    out = tmp_path / "out"
    fleet = Fleet(path, "-o", out, "--jobs", "2", *OPTIONS, env=env)
    until(mark.exists)
    kill(hanging_worker(fleet))
    code, _, err = fleet.done()
    assert (code, err) == (1, "")
    assert rows(out, DONE) == [("done", 4)]
    assert rows(out, "SELECT count(*) FROM result") == [(4,)]
    assert rows(out, "SELECT count(*) FROM finding") == [(4,)]


def test_a_target_that_kills_its_worker_twice_is_a_row_with_the_reason(tmp_path: Path) -> None:
    agents = [agent(tmp_path / f"agent{n}") for n in range(2)]
    env, mark = hanging(tmp_path, once=False)
    path = listed(tmp_path / "list.txt", "ssh://host.example/a/b", *agents)
    out = tmp_path / "out"
    fleet = Fleet(path, "-o", out, "--jobs", "2", *OPTIONS, env=env)
    for _ in range(2):
        until(mark.exists)
        kill(hanging_worker(fleet))
        mark.unlink()
    code, _, err = fleet.done()
    assert (code, err) == (1, "")
    assert rows(out, DONE) == [("done", 2), ("failed", 1)]
    ((reason,),) = rows(out, "SELECT reason FROM result WHERE status = 'failed'")
    assert reason == "the worker was killed, as systems do where memory runs out"


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL], ids=["stopped", "killed"])
def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path, sign: signal.Signals) -> None:
    made = repository(tmp_path / "fetched")
    agents = [agent(tmp_path / f"agent{n}") for n in range(2)]
    env, mark = hanging(tmp_path, once=True)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    env["TMPDIR"] = str(scratch)
    path = listed(tmp_path / "list.txt", f"ssh://host.example{made.folder}", *agents)
    out = tmp_path / "out"
    call = (path, "-o", out, "--jobs", "2", *OPTIONS)
    fleet = Fleet(*call, env=env)
    until(lambda: mark.exists() and rows(out, DONE) == [("done", 2)])
    pid = hanging_worker(fleet)
    fleet.process.send_signal(sign)
    code, _, _ = fleet.done()
    assert code == (130 if sign == signal.SIGINT else -signal.SIGKILL)
    until(lambda: not Path(f"/proc/{pid}").exists() or not children(pid))
    first = rows(out, "SELECT * FROM result ORDER BY id")

    done = agentcheck("fleet", *call, env=env)
    assert (done.code, done.err) == (1, "")
    assert rows(out, "SELECT * FROM result ORDER BY id")[:2] == first
    assert rows(out, DONE) == [("done", 3)]
    assert rows(out, "SELECT count(*), count(finished) FROM run") == [(1, 1)]
    assert list(scratch.glob("agentcheck-fleet-*")) == []


def test_a_target_that_takes_too_long_is_a_row_and_its_git_ends(tmp_path: Path) -> None:
    env, _ = hanging(tmp_path, once=False)
    out = tmp_path / "out"
    targets = ("-t", "ssh://host.example/a/b", "-t", agent(tmp_path / "one"))
    done = agentcheck("fleet", *targets, "-o", out, "--timeout", "2", *OPTIONS, env=env)
    assert done.code == 1, done.err
    ((reason,),) = rows(out, "SELECT reason FROM result WHERE status = 'failed'")
    assert reason == "git ls-remote was not done within 2 seconds"


def test_a_worker_that_may_not_have_the_memory_says_so(tmp_path: Path) -> None:
    target = agent(tmp_path / "one")
    call = ("fleet", "-t", target, "-o", tmp_path / "out", "--jobs", "1", *OPTIONS)
    done = agentcheck(*call, "--max-memory", "1")
    assert done.code == 2, done.err
    reasons = {row[0] for row in rows(tmp_path / "out", "SELECT reason FROM result")}
    assert reasons == {"out of memory: 1 MB are too few"}
    assert agentcheck(*call, "--max-memory", "4000").code == 1


def test_two_runs_do_not_write_to_one_store_at_once(tmp_path: Path) -> None:
    env, mark = hanging(tmp_path, once=False)
    out = tmp_path / "out"
    fleet = Fleet("-t", "ssh://host.example/a/b", "-o", out, *OPTIONS, env=env)
    until(mark.exists)
    second = agentcheck("fleet", "-t", agent(tmp_path / "one"), "-o", out, *OPTIONS)
    assert second.code == 2
    assert f"process {fleet.process.pid} is writing a run there" in second.error
    fleet.process.send_signal(signal.SIGINT)
    assert fleet.done()[0] == 130
