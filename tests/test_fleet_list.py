"""A list of targets: what a line may name, and what is said of one that names nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import Here
from tests.fleet_targets import agent, listed, runs

from agentcheck.fleet.targets import Target, lines_of, targets_of


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


def named(text: str, folder: Path, *, here: bool = True) -> tuple[list[Target], list[str]]:
    return targets_of(lines_of(text, "list.txt", folder), here=here)


def test_a_line_names_a_folder_a_file_of_runs_a_pattern_or_an_address(tmp_path: Path) -> None:
    agent(tmp_path / "one")
    agent(tmp_path / "more/two")
    agent(tmp_path / "more/three")
    runs(tmp_path / "runs.jsonl")
    text = (
        "# what we run\n\none   # the first\nmore/*\n*.jsonl\none/agent.py\n"
        "https://host.example/owner/name.git#v2\ngit@host.example:owner/other.git\n"
    )
    targets, wrong = named(text, tmp_path)
    assert wrong == []
    assert [(target.kind, target.name.removeprefix(f"{tmp_path}/")) for target in targets] == [
        ("folder", "one"),
        ("folder", "more/three"),
        ("folder", "more/two"),
        ("traces", "runs.jsonl"),
        ("folder", "one/agent.py"),
        ("git", "https://host.example/owner/name.git#v2"),
        ("git", "git@host.example:owner/other.git"),
    ]
    assert (targets[5].where, targets[5].ref) == ("https://host.example/owner/name.git", "v2")


def test_a_target_named_twice_is_one(tmp_path: Path) -> None:
    agent(tmp_path / "one")
    targets, wrong = named(f"one\n./one/\n{tmp_path}/o*\n", tmp_path)
    assert [target.name for target in targets] == [f"{tmp_path}/one"]
    assert wrong == []


def test_a_name_with_characters_of_patterns_is_a_name_where_it_exists(tmp_path: Path) -> None:
    agent(tmp_path / "v[1]")
    targets, _ = named("v[1]\n", tmp_path)
    assert [target.name for target in targets] == [f"{tmp_path}/v[1]"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://user:s3cret@host.example/a/b", "https://host.example/a/b"),
        ("https://ghp_token@host.example:8443/a/b.git", "https://host.example:8443/a/b.git"),
        ("ssh://git@host.example/a/b", "ssh://git@host.example/a/b"),
        ("ssh://git:s3cret@host.example/a/b", "ssh://host.example/a/b"),
        ("git+https://host.example/a/b", "https://host.example/a/b"),
    ],
)
def test_a_password_is_used_and_never_shown(tmp_path: Path, address: str, shown: str) -> None:
    (target,), _ = named(f"{address}\n", tmp_path)
    assert target.name == shown
    assert target.where == address.removeprefix("git+")


def test_every_wrong_line_is_named_and_nothing_starts(here: Here, tmp_path: Path) -> None:
    good = agent(tmp_path / "good")
    bad = (
        "gone",
        "none/*.jsonl",
        "ftp://h.example/a",
        "ext::sh -c true",
        "https://h.example/a#-x",
    )
    path = listed(tmp_path / "list.txt", good, *bad)
    done = here("fleet", path, "-o", tmp_path / "out")
    assert done.code == 2
    assert done.out == ""
    wrong = f"agentcheck: error: {path}"
    assert done.err.splitlines() == [
        f"{wrong}:2: gone: no such file or folder; check the path, or take the line out",
        f'{wrong}:3: no file or folder matches "none/*.jsonl"; check the pattern',
        f"{wrong}:4: ftp://h.example/a: ftp is none of the schemes https, http, ssh, git, file",
        f"{wrong}:5: ext::sh -c true: helpers of git's own are not called; give a plain address",
        f'{wrong}:6: https://h.example/a: "-x" is no name of a branch or tag',
    ]
    assert not (tmp_path / "out").exists()


def test_paths_for_other_machines_are_not_looked_up_here(tmp_path: Path) -> None:
    targets, wrong = named("/elsewhere/agents\n/elsewhere/runs.jsonl\n", tmp_path, here=False)
    assert [target.kind for target in targets] == ["folder", "traces"]
    assert wrong == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "name a list of targets, - for stdin, or --target TARGET"),
        (["{tmp}/none.txt"], "{tmp}/none.txt: No such file or directory; name a list of targets"),
        (["{tmp}"], "{tmp}: a folder, not a list; for this folder: --target {tmp}"),
        (
            ["{tmp}/empty.txt"],
            "{tmp}/empty.txt: names no target; write a folder or a git address a line",
        ),
        (
            ["-t", "{tmp}", "--jobs", "2", "--cluster", "tcp://h:1"],
            "--jobs is about this machine; ",
        ),
        (["-t", "{tmp}", "--cluster", "nowhere"], '--cluster: "nowhere" is no address such as '),
        (["-t", "{tmp}", "-o", "{tmp}/empty.txt"], "{tmp}/empty.txt: -o names the folder of a "),
        (["-t", "{tmp}", "--select", "AC0"], "AC0"),
        (["-t", "{tmp}", "--fail-on", "never"], "--fail-on: expected 'high'"),
        (["-t", "{tmp}", "--format", "xml"], '--output-format: unknown format "xml"'),
        (["-t", "{tmp}", "--config", "{tmp}/no.toml"], "{tmp}/no.toml: no such configuration"),
    ],
)
def test_a_wrong_call_is_one_line(here: Here, tmp_path: Path, args: list[str], said: str) -> None:
    listed(tmp_path / "empty.txt", "# nothing yet")
    done = here("fleet", "-o", tmp_path / "out", *(arg.format(tmp=tmp_path) for arg in args))
    assert done.code == 2
    assert said.format(tmp=tmp_path) in done.error
