"""`agentcheck fleet`: targets of every kind into one store, and what the index says of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.command_line import Done, Here, agentcheck
from tests.fleet_targets import BOUNDED, ENDLESS, agent, listed, repository, rows, runs
from tests.git_targets import needs_git

from agentcheck.report.fleet_json import schema

SAMPLE = Path(__file__).parent.parent / "fixtures/agents/parcel_desk"
RUN = ("--isolated", "--select", "AC101,AC201", "--jobs", "2")


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


def told(done: Done) -> dict[str, Any]:
    fleet: dict[str, Any] = json.loads(done.out)
    return fleet


def by_name(fleet: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {Path(target["name"]).name: target for target in fleet["targets"]}


@needs_git
def test_folders_addresses_and_runs_are_ranked_and_failures_are_rows(
    here: Here, tmp_path: Path
) -> None:
    agent(tmp_path / "endless")
    agent(tmp_path / "bounded", BOUNDED)
    made = repository(tmp_path / "fetched")
    (tmp_path / "broken.jsonl").write_text("no run\n", "utf-8")
    runs(tmp_path / "runs.jsonl")
    (tmp_path / "empty").mkdir()
    path = listed(
        tmp_path / "list.txt",
        "bounded",
        "endless",
        made.folder.as_uri(),
        f"file://{tmp_path}/gone.git",
        "*.jsonl",
        "empty",
    )
    out = tmp_path / "out"
    done = here("fleet", path, "-o", out, *RUN, "--format", "json")
    assert done.code == 1, done.err
    fleet = told(done)
    there = by_name(fleet)
    jsonschema.validate(fleet, schema())
    assert [t["status"] for t in fleet["targets"]].count("failed") == 3
    assert there["endless"]["findings"] == there["fetched"]["findings"] == 2
    assert there["bounded"]["findings"] == 0
    assert there["runs.jsonl"]["runs"] == 1
    assert there["endless"]["per_1000_lines"] == round(2000 / len(ENDLESS.splitlines()), 2)
    assert there["fetched"]["commit"] == made("rev-parse", "HEAD").strip()
    assert "no recorded run could be read" in there["broken.jsonl"]["reason"]
    assert "does not" in there["gone.git"]["reason"]
    assert "no Python file or notebook found" in there["empty"]["reason"]
    # The worst first, and where they are level, by name.
    names = [Path(t["name"]).name for t in fleet["targets"] if t["status"] == "done"]
    assert names == ["endless", "fetched", "bounded", "runs.jsonl"]
    rules = {rule["rule"]: (rule["targets"], rule["findings"]) for rule in fleet["rules"]}
    assert rules == {"finish-reason-unchecked": (2, 2), "unbounded-loop": (2, 2)}


@needs_git
def test_what_has_not_changed_is_not_looked_at_again(here: Here, tmp_path: Path) -> None:
    agent(tmp_path / "same")
    moving = repository(tmp_path / "moving")
    path = listed(tmp_path / "list.txt", "same", moving.folder.as_uri())
    out = tmp_path / "out"
    call = ("fleet", path, "-o", out, *RUN, "-q")
    results = (
        "SELECT name, identity, (SELECT count(*) FROM finding WHERE finding.result = result.id) "
        "FROM result JOIN target ON target.id = target ORDER BY name"
    )
    assert here(*call).code == 1
    first = rows(out, results)
    assert here(*call).code == 1
    assert rows(out, results) == first
    agent(moving.folder, BOUNDED)
    moving.commit()
    assert here(*call).code == 1
    second = rows(out, results)
    assert [row[2] for row in first] == [2, 2]
    assert set(first) < set(second)
    assert [row[2] for row in second if row not in first] == [0]
    assert rows(out, "SELECT run, count(*) FROM seen GROUP BY run") == [(1, 2), (2, 2), (3, 2)]


def test_again_looks_once_more_and_doubles_nothing(here: Here, tmp_path: Path) -> None:
    out = tmp_path / "out"
    call = ("fleet", "-t", agent(tmp_path / "one"), "-o", out, *RUN, "-q")
    here(*call)
    page = next((out / "audits").iterdir())
    before = page.stat().st_mtime_ns
    here(*call)
    assert page.stat().st_mtime_ns == before
    here(*call, "--again")
    assert page.stat().st_mtime_ns > before
    assert rows(out, "SELECT count(*) FROM result") == [(1,)]
    assert rows(out, "SELECT count(*), count(DISTINCT fingerprint) FROM finding") == [(2, 2)]


def test_a_page_that_is_gone_and_other_settings_are_reasons_to_look(
    here: Here, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    call = ("fleet", "-t", agent(tmp_path / "one"), "-o", out, "--isolated", "-q")
    here(*call, "--select", "AC101")
    (page,) = (out / "audits").iterdir()
    page.unlink()
    here(*call, "--select", "AC101")
    assert page.exists()
    here(*call, "--select", "AC201")
    assert rows(out, "SELECT rule FROM finding ORDER BY result") == [
        ("unbounded-loop",),
        ("finish-reason-unchecked",),
    ]


def test_what_came_and_went_between_runs_is_counted(here: Here, tmp_path: Path) -> None:
    agent(tmp_path / "one")
    agent(tmp_path / "two", BOUNDED)
    path = listed(tmp_path / "list.txt", "one", "two")
    call = ("fleet", path, "-o", tmp_path / "out", *RUN, "--format", "json")
    first = told(here(*call))
    assert [(t["new"], t["fixed"]) for t in first["targets"]] == [(None, None)] * 2
    agent(tmp_path / "one", BOUNDED)
    agent(tmp_path / "two", ENDLESS)
    second = told(here(*call))
    there = by_name(second)
    assert (there["one"]["new"], there["one"]["fixed"]) == (0, 2)
    assert (there["two"]["new"], there["two"]["fixed"]) == (2, 0)
    newest, oldest = second["runs"]
    assert (newest["new"], newest["fixed"], newest["findings"]) == (2, 2, 2)
    assert (oldest["new"], oldest["fixed"], oldest["findings"]) == (0, 0, 2)


def test_the_findings_are_those_of_a_scan_and_of_a_trace(here: Here, tmp_path: Path) -> None:
    folder, file = SAMPLE, SAMPLE / "runs.jsonl"
    fleet = here("fleet", "-t", folder, "-t", file, "-o", tmp_path / "out", "--isolated")
    assert fleet.code == 1, fleet.err
    scan = told(here("scan", folder, "--isolated", "--output-format", "json"))
    trace = told(here("trace", file, "--isolated", "--output-format", "json"))
    found = rows(
        tmp_path / "out", "SELECT rule, code, priority, severity, fingerprint FROM finding"
    )
    keys = ("rule", "code", "priority", "severity", "fingerprint")
    there = [tuple(f[k] for k in keys) for report in (scan, trace) for f in report["findings"]]
    assert sorted(found) == sorted(there)
    assert len(there) > 10


def test_the_exit_code_says_whether_there_is_something_to_do(here: Here, tmp_path: Path) -> None:
    endless = agent(tmp_path / "endless")
    gone = f"file://{tmp_path}/gone.git"

    def code(*args: str | Path) -> int:
        return here("fleet", "-o", tmp_path / "out", *RUN, "-q", *args).code

    assert code("-t", endless) == 1
    assert code("-t", endless, "--ignore", "AC101,AC201") == 2
    assert code("-t", endless, "--extend-select", "AC501", "--ignore", "AC101,AC201") == 0
    assert code("-t", endless, "--exit-zero", "-t", gone) == 0
    assert code("-t", agent(tmp_path / "empty", ""), "-t", gone) == 1
    assert code("-t", gone) == 2


def test_the_index_leads_to_every_audit_and_loads_nothing(here: Here, tmp_path: Path) -> None:
    hostile = agent(tmp_path / "<img src=x onerror=alert(1)>")
    agent(tmp_path / "plain", BOUNDED)
    out = tmp_path / "out"
    done = here("fleet", "-t", hostile, "-t", tmp_path / "plain", "-o", out, *RUN)
    assert f"index: {out / 'index.html'}" in done.out
    assert "2 targets: 2 findings" in done.out
    page = (out / "index.html").read_text("utf-8")
    assert "<img" not in page
    assert "<script" not in page
    assert re.search(r'content="default-src &#39;none&#39;|content="default-src \'none\'', page)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    links = set(re.findall(r'href="(audits/[^"]+)"', page))
    assert {link.partition("/")[2] for link in links} == {
        file.name for file in (out / "audits").iterdir()
    }
    assert all("Agent audit of" in (out / link).read_text("utf-8") for link in links)
    for said in ("unbounded-loop", "Fix now", "Over time"):
        assert said in page


def test_a_list_may_come_from_stdin_and_paths_start_where_one_stands(tmp_path: Path) -> None:
    agent(tmp_path / "one")
    done = agentcheck(
        "fleet", "-", "-o", "out", *RUN, "--format", "json", stdin=b"one\n", cwd=tmp_path
    )
    assert done.err == ""
    assert [t["name"] for t in told(done)["targets"]] == [str(tmp_path / "one")]


def test_the_targets_own_configuration_counts_and_a_broken_one_is_a_reason(
    here: Here, tmp_path: Path
) -> None:
    quiet, broken = agent(tmp_path / "quiet"), agent(tmp_path / "broken")
    (quiet / "agentcheck.toml").write_text('select = ["AC101"]\nfail-on = "high"\n', "utf-8")
    (broken / "agentcheck.toml").write_text("selct = 3\n", "utf-8")
    done = here("fleet", "-t", quiet, "-t", broken, "-o", tmp_path / "out", "--format", "json")
    there = by_name(told(done))
    assert there["quiet"]["findings"] == 1
    assert "selct" in there["broken"]["reason"]


def test_a_file_that_is_no_store_is_named(here: Here, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "fleet.db").write_bytes(b"no database at all, and longer than a header of one is" * 9)
    done = here("fleet", "-t", agent(tmp_path / "one"), "-o", out)
    assert done.code == 2
    assert f"{out / 'fleet.db'}: file is not a database" in done.error
    assert (out / "fleet.db").read_bytes().startswith(b"no database")


def test_other_commands_load_nothing_of_it() -> None:
    code = (
        "import sys\nfrom agentcheck.cli import run_command\nrun_command(['--help'])\n"
        "names = {'sqlite3', 'distributed', 'agentcheck.fleet'} & set(sys.modules)\n"
        "sys.exit(str(names) if names else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_no_module_of_the_folder_one_stands_in_is_imported(tmp_path: Path) -> None:
    hostile = agent(tmp_path / "hostile")
    for name in ("msgspec", "zlib", "agentcheck", "libcst"):
        (hostile / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", "utf-8")
    call = [sys.executable, "-P", "-m", "agentcheck", "fleet", "-t", ".", "-o", "../out", *RUN]
    done = subprocess.run(
        call, cwd=hostile, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "1 target: 2 findings" in done.stdout
    assert not (tmp_path / "ran").exists()


def test_a_password_is_in_no_reason_and_in_no_file(here: Here, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = here("fleet", "-t", "http://ida:s3cret@127.0.0.1:1/a/b", "-o", out, "--isolated")
    assert done.code == 2
    assert "http://127.0.0.1:1/a/b" in done.out
    texts = [done.out.encode(), *(file.read_bytes() for file in out.rglob("*") if file.is_file())]
    assert len(texts) == 3
    assert [text for text in texts if b"s3cret" in text] == []


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
