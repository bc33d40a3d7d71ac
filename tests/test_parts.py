"""A target that is linked and asked about in parts has the report of one that is done as one."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import ModuleType

import pytest
from msgspec.structs import replace
from tests.made_rules import made_rule

from agentcheck.cache.store import NAME
from agentcheck.config import Settings
from agentcheck.facts.record import facts_in
from agentcheck.model.assessment import Assessment
from agentcheck.model.report import Report
from agentcheck.rule import AgentGraph, Rule, RuleError, fine, read_rule
from agentcheck.run import Request, run
from agentcheck.run.code import read_code
from agentcheck.run.linking import Linking
from agentcheck.run.memory import Memory
from agentcheck.run.part import Examiner, Part, Wanted
from agentcheck.run.parts import Parts
from agentcheck.run.request import silent

FIXTURES = Path(__file__).parent.parent / "fixtures"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes share by forking on Linux")
LONG = "#\n" * 1_600  # so that a file is a part of its own
AUDITOR = Settings(persona="auditor")
Check = Callable[[AgentGraph], Iterator[Assessment]]


def made(folder: Path, *kinds: str) -> Path:
    """Many programs side by side: whole agents, or the fixtures of every rule."""
    for kind in kinds:
        shutil.copytree(FIXTURES / kind, folder / kind)
    for name in ("one", "two"):
        (folder / f"{name}.py").write_text(LONG * 5)
    return folder


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("target"), "agents")


@pytest.fixture(scope="module")
def whole(target: Path) -> Report:
    return report(target, whole=True)


def report(target: Path, **more: object) -> Report:
    request = replace(Request(paths=(str(target),), traced=True, jobs=1), **more)
    found = run(request, AUDITOR)
    return replace(found, summary=replace(found.summary, seconds=0.0))


def test_parts_report_what_the_whole_does(target: Path, whole: Report) -> None:
    assert len(whole.findings) > 20
    assert whole.workflows
    assert report(target) == whole


@pytest.mark.slow
def test_parts_of_every_fixture_do_too(tmp_path: Path) -> None:
    every = made(tmp_path / "every", "agents", "rules")
    assert report(every) == report(every, whole=True)


@LINUX
def test_parts_in_two_processes_do_too(target: Path, whole: Report) -> None:
    assert report(target, jobs=2) == whole


def test_parts_that_are_kept_do_too(target: Path, whole: Report, tmp_path: Path) -> None:
    changed, cache = tmp_path / target.name, str(tmp_path / "cache")
    shutil.copytree(target, changed)
    found = report(changed, cache=cache)
    assert found == replace(whole, target=found.target)
    agent = next((changed / "agents").rglob("*.py"))
    agent.write_text(f"{agent.read_text('utf-8')}\n# changed\n", "utf-8")
    assert report(changed, cache=cache) == report(changed, whole=True)


def test_damaged_facts_are_read_again(tmp_path: Path) -> None:
    """Of files that the index knows: the changed one is linked with others of its program."""
    target = write(tmp_path / "target", a="import b\n", b="import c\n", c="import missing.d\n")
    cache = tmp_path / "cache"
    report(target, cache=str(cache))
    damaged = 0
    with closing(sqlite3.connect(cache / NAME)) as file, file:
        for key, data in file.execute("SELECT key, data FROM kept").fetchall():
            with suppress(ValueError):
                if facts_in(data, "a.py") is not None:
                    file.execute("UPDATE kept SET data = ? WHERE key = ?", (data[:-2], key))
                    damaged += 1
    assert damaged == 3
    write(target, a="import b\nimport os\n")
    assert report(target, cache=str(cache)) == report(target, whole=True)


def of_rule(check: Check, family: str = "limits") -> Rule:
    return replace(made_rule(family=family), check=check)


def parts_of(target: Path, *checks: Check, cache: Path | None = None, jobs: int = 1) -> list[Part]:
    """What comes of the parts of a target by rules, one for each check."""
    request = Request(paths=(str(target),), cache=str(cache) if cache else None)
    settings = Settings()
    rules = [of_rule(check, f"family_{n}") for n, check in enumerate(checks)]
    memory = Memory(request, settings)
    code = read_code(request, settings, silent, memory, link=False)
    linking = Linking(code.root, code.files, [], ())
    wanted = Wanted(code.root, "auditor", tests=False, traced=False)
    kept = memory.parts(code, linking, [rule.name for rule in rules])
    found = Parts(code.files, code, Examiner(linking, rules, {}, wanted), jobs, kept).all()
    memory.close()
    return found


def files_of(parts: Sequence[Part]) -> list[list[str]]:
    """The files that a rule says it saw in each part."""
    return sorted(one.subject.split() for part in parts for _, one in part.told.said)


def says_files(graph: AgentGraph) -> Iterator[Assessment]:
    yield fine(" ".join(sorted(graph.program.files)), "met", "seen")


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / f"{name.replace('__in__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + LONG, "utf-8")
    return folder


def test_files_that_import_each_other_are_one_part(tmp_path: Path) -> None:
    write(tmp_path, a="import b\n", b="", c="import d\n", d="import os\n")
    assert files_of(parts_of(tmp_path, says_files)) == [["a.py", "b.py"], ["c.py", "d.py"]]


def test_small_programs_share_a_part(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.py").write_text("print(1)\n", "utf-8")
    assert len(files_of(parts_of(tmp_path, says_files))) < 3


def test_a_file_that_is_needed_without_an_import_joins(tmp_path: Path) -> None:
    """`import pkg` and then `pkg.tool`, which somebody else has imported by then."""
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("", "utf-8")
    write(tmp_path, pkg__in__tool="def go():\n    pass\n", main="import pkg\n\npkg.tool.go()\n")

    def resolves(graph: AgentGraph) -> Iterator[Assessment]:
        for fn in graph.program.every_function():
            for site, _ in graph.program.calls(fn):
                graph.calls.callees(site)
        yield from says_files(graph)

    joined = [["main.py", "pkg/__init__.py", "pkg/tool.py"]]
    assert files_of(parts_of(tmp_path, resolves)) == joined


@LINUX
def test_a_file_that_another_process_finds_to_be_needed_joins(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("", "utf-8")
    write(tmp_path, pkg__in__tool="def go():\n    pass\n", main=f"import pkg\n{LONG * 50}")
    mark = tmp_path / "mark"

    def waits(graph: AgentGraph) -> Iterator[Assessment]:
        while not mark.exists():  # or this process might ask both rules
            time.sleep(0.01)
        yield from says_files(graph)

    def looks(graph: AgentGraph) -> Iterator[Assessment]:
        mark.touch()
        graph.program.files.near("pkg/tool.py")
        yield from says_files(graph)

    joined = ["main.py", "pkg/__init__.py", "pkg/tool.py"]
    assert files_of(parts_of(tmp_path, waits, looks, jobs=2)) == [joined, joined]


def test_only_the_part_of_a_changed_file_is_asked_anew(tmp_path: Path) -> None:
    target = write(tmp_path / "target", a="import b\n", b="", c="")
    asked = list[list[str]]()

    def noting(graph: AgentGraph) -> Iterator[Assessment]:
        asked.append(sorted(graph.program.files))
        yield from says_files(graph)

    every = [["a.py", "b.py"], ["c.py"]]
    assert files_of(parts_of(target, noting, cache=tmp_path / "cache")) == every
    assert sorted(asked) == every
    asked.clear()
    write(target, b="print(2)\n")
    assert files_of(parts_of(target, noting, cache=tmp_path / "cache")) == every
    assert asked == [["a.py", "b.py"]]


def test_a_part_is_asked_anew_when_a_text_that_it_reads_changes(tmp_path: Path) -> None:
    target = write(tmp_path / "target", a="import openai\n")
    (target / "prompt.txt").write_text("one", "utf-8")
    asked = list[str | None]()

    def reading(graph: AgentGraph) -> Iterator[Assessment]:
        files = graph.tracer.files
        asked.append(files.reader.text("prompt.txt") if files else None)
        yield from says_files(graph)

    for text in ("one", "one", "two"):
        (target / "prompt.txt").write_text(text, "utf-8")
        parts_of(target, reading, cache=tmp_path / "cache")
    assert asked == ["one", "two"]


def test_a_part_in_which_a_rule_fails_is_not_kept(tmp_path: Path) -> None:
    target = write(tmp_path / "target", a="")
    asked = list[int]()

    def fails(_: AgentGraph) -> Iterator[Assessment]:
        asked.append(1)
        raise KeyError("gone")

    for _ in range(2):
        (part,) = parts_of(target, fails, cache=tmp_path / "cache")
        assert part.told.failed
    assert len(asked) == 2


@LINUX
def test_a_part_whose_process_dies_is_done_here(tmp_path: Path) -> None:
    here, asked = os.getpid(), list[list[str]]()
    target = write(tmp_path, **{f"file_{n}": LONG for n in range(8)})

    def dies(graph: AgentGraph) -> Iterator[Assessment]:
        if os.getpid() == here:
            asked.append(sorted(graph.program.files))
        elif "file_3.py" in graph.program.files:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from says_files(graph)

    found = files_of(parts_of(target, dies, jobs=2))
    assert found == [[f"file_{n}.py"] for n in range(8)]
    assert ["file_3.py"] in asked
    assert len(asked) < 8


def test_a_name_means_nothing_in_another_program(tmp_path: Path) -> None:
    """Tools that no dispatcher of their program runs are not those of another's."""
    desk = (FIXTURES / "rules" / "effect_unverified" / "by_hand.py").read_text("utf-8")
    alone = report(write(tmp_path / "one", desk=desk)).assessments
    both = report(write(tmp_path / "both", desk=desk, other=desk)).assessments
    subjects = [a.subject for a in alone if a.rule == "effect-unverified"]
    assert subjects
    assert sorted(subjects * 2) == sorted(a.subject for a in both if a.rule == "effect-unverified")


def test_a_rule_that_gathers_has_to_conclude() -> None:
    module = ModuleType("family.half")
    vars(module).update(
        __doc__="Half of it.", CARD=made_rule().card, check=says_files, gather=says_files
    )
    with pytest.raises(RuleError, match="gather, Gathered and conclude go with each other"):
        read_rule(module)
