"""Where the scanned folder stands in its repository, and where a forge shows its lines."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.command_line import Here
from tests.run_targets import LOOP, write

from agentcheck.run.remote import Whereabouts, blobs, pages, repository_of, whereabouts

COMMIT = "6f0c2d4be1a9c7735d206f0c2d4be1a9c7735d20"
SECRET = "glpat-5up3r5ecret5up3r5ecret"  # noqa: S105 - nobody's
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


def work_tree(folder: Path, config: str, head: str = COMMIT) -> Path:
    """A folder with the files that git keeps, as far as they are read."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text(head + "\n")
    (folder / ".git" / "config").write_text(config)
    return folder


def git(folder: Path, *args: str) -> None:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t.example", "-C", str(folder), *args]
    subprocess.run(command, check=True, capture_output=True)


HUB = f"https://github.com/desk/bot/blob/{COMMIT}"
LAB = f"https://gitlab.example.org/team/desk/bot/-/blob/{COMMIT}"


@pytest.mark.parametrize(
    ("remote", "base"),
    [
        ("https://github.com/desk/bot", HUB),
        ("https://github.com/desk/bot.git", HUB),
        ("https://github.com/desk/bot/", HUB),
        (f"https://mia:{SECRET}@github.com/desk/bot.git", HUB),
        (f"https://{SECRET}@GitHub.com/desk/bot.git", HUB),
        (f"https://mia:{SECRET}@odd@github.com/desk/bot.git", HUB),
        ("git@github.com:desk/bot.git", HUB),
        ("git@github.com:/desk/bot.git", HUB),
        ("ssh://git@github.com/desk/bot.git", HUB),
        ("ssh://git@ssh.github.com:443/desk/bot.git", HUB),
        ("git+ssh://git@github.com/desk/bot.git", HUB),
        ("git://github.com/desk/bot.git", HUB),
        ("https://gitlab.example.org/team/desk/bot.git", LAB),
        (f"https://oauth2:{SECRET}@gitlab.example.org/team/desk/bot.git", LAB),
        ("git@gitlab.example.org:team/desk/bot.git", LAB),
        ("ssh://git@gitlab.example.org:2222/team/desk/bot.git", LAB),
        ("http://gitlab.local:8080/a/b", f"http://gitlab.local:8080/a/b/-/blob/{COMMIT}"),
        ("https://github.corp.example/a/b", f"https://github.corp.example/a/b/blob/{COMMIT}"),
        ("https://github.com/a/b.js", f"https://github.com/a/b.js/blob/{COMMIT}"),
        ("https://bitbucket.org/desk/bot", ""),
        ("https://evil.example/https://github.com/desk/bot", ""),
        ("https://github.com/desk/../bot", ""),
        ("https://github.com/desk/bot?token=" + SECRET, ""),
        ("https://github.com/desk/bot#" + SECRET, ""),
        ("https://github.com/desk", ""),
        ("https://github.com/a/b/c", ""),
        ("javascript:alert(1)//github.com/a/b", ""),
        ("file:///srv/github/a/b", ""),
        ("/srv/git/github/bot.git", ""),
        ("../github/bot", ""),
        ("https://github.com/desk/bo t", ""),
        ("https://github.com/desk/bot)[x](https://evil.example", ""),
        ("", ""),
    ],
)
def test_the_address_of_lines_is_told_for_forges_that_are_known(remote: str, base: str) -> None:
    assert blobs(remote, COMMIT) == base
    assert SECRET not in blobs(remote, COMMIT)


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://github.com/desk/bot.git", "https://github.com/desk/bot"),
        ("git@github.com:desk/bot.git", "https://github.com/desk/bot"),
        (f"https://mia:{SECRET}@bitbucket.org/desk/bot.git", "https://bitbucket.org/desk/bot"),
        ("git@gitlab.example.org:team/bot.git", "https://gitlab.example.org/team/bot"),
        ("git@git.example.org:team/bot.git", ""),  # where its pages are nobody can tell
        ("javascript:alert(1)//github.com/a/b", ""),
        ("/srv/git/bot.git", ""),
    ],
)
def test_the_repository_is_named_by_the_address_of_its_pages(
    tmp_path: Path, remote: str, address: str
) -> None:
    tree = work_tree(tmp_path, f'[remote "origin"]\nurl = {remote}\n')
    assert pages(remote) == address
    assert repository_of(tree) == (address or None)


def test_the_remote_called_origin_is_taken_before_others(tmp_path: Path) -> None:
    config = """\
[core]
\turl = https://github.com/not/this
[remote "fork"]
\turl = git@github.com:mia/bot.git
\tfetch = +refs/heads/*:refs/remotes/fork/*
[remote "origin"]
\tURL = "https://github.com/desk/bot.git" ; the one that counts
\turl = https://github.com/second/address.git
[branch "main"]
\tremote = fork
"""
    assert whereabouts(work_tree(tmp_path, config)) == Whereabouts("", HUB)
    only = config.replace('"origin"', '"upstream"').replace("desk/bot", "x/y")
    (tmp_path / ".git" / "config").write_text(only)
    assert whereabouts(tmp_path).link_base == f"https://github.com/mia/bot/blob/{COMMIT}"


@pytest.mark.parametrize("head", ["", "ref: refs/heads/none", "ref: ../../etc/passwd", "zz"])
def test_without_a_commit_nothing_is_linked(tmp_path: Path, head: str) -> None:
    config = '[remote "origin"]\nurl = https://github.com/desk/bot\n'
    tree = work_tree(tmp_path / "t", config, head)
    (tree / "apps").mkdir()
    assert whereabouts(tree / "apps") == Whereabouts("apps", "")


def test_outside_of_a_work_tree_nothing_is_known(tmp_path: Path) -> None:
    assert whereabouts(tmp_path) == Whereabouts()


@pytest.mark.parametrize(
    "config", ["[", '[remote "origin"', "url = x", "\x00\xff", "[remote]\nurl"]
)
def test_a_broken_configuration_is_no_remote(tmp_path: Path, config: str) -> None:
    assert whereabouts(work_tree(tmp_path, config)) == Whereabouts()


@needs_git
def test_a_scan_below_the_top_names_files_as_the_repository_does(
    here: Here, tmp_path: Path
) -> None:
    top = tmp_path / "top"
    write(top / "apps" / "desk", bot=LOOP)
    git(tmp_path, "init", "-q", "top")
    git(top, "remote", "add", "origin", f"https://mia:{SECRET}@github.com/desk/bot.git")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "all")
    linked = tmp_path / "linked"
    git(top, "worktree", "add", "-q", str(linked))
    for tree in (top, linked):
        folder = tree / "apps" / "desk"
        outs = {form: tmp_path / f"out.{form}" for form in ("markdown", "html", "sarif", "github")}
        pairs = [
            w for f, o in outs.items() for w in ("--output-format", f, "--output-file", str(o))
        ]
        assert here("scan", folder, "--isolated", "--select", "unbounded-loop", *pairs).code == 1
        texts = {form: path.read_text("utf-8") for form, path in outs.items()}
        assert not any(SECRET in text or "mia" in text for text in texts.values())
        link = re.search(r"\]\((https://github\.com/[^)]+)\)", texts["markdown"])
        assert link is not None
        address = re.fullmatch(
            r"https://github\.com/desk/bot/blob/([0-9a-f]{40})/apps/desk/bot\.py#L7(-L\d+)?",
            link[1],
        )
        assert address is not None
        assert f"/blob/{address[1]}/apps/desk/bot.py#L7" in texts["html"]
        assert "::error file=apps/desk/bot.py,line=7," in texts["github"]
        result = json.loads(texts["sarif"])["runs"][0]["results"][0]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert place["uri"] == "apps/desk/bot.py"
