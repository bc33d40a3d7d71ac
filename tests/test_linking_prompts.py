"""Prompts from other modules, from files beside the code and from YAML."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.linking_targets import linked, written

from agentcheck.rule import AgentGraph, system_prompts
from agentcheck.source.texts import LARGEST

HEAD = """
import json
import os
from importlib import resources
from pathlib import Path

import yaml
from agents import Agent

HERE = Path(__file__).parent
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prompts")


def load(name):
    with open(f"prompts/{name}.md") as file:
        return file.read().strip()


def load_from(folder, name="desk.md"):
    return (HERE / folder / name).read_text(encoding="utf-8")


def settings(path="prompts.yaml"):
    with open(path) as file:
        return yaml.safe_load(file)


"""
TEXT = "You are the desk. Call `pay_back` when asked.\n"


def texts(graph: AgentGraph, name: str) -> list[str | None]:
    found = [p for p in system_prompts(graph) if p.agent is not None and p.agent.name == name]
    return [piece.text for prompt in found for piece in prompt.pieces]


def one(folder: Path, given: str, **more: str) -> AgentGraph:
    return linked(folder, f"{HEAD}\nagent = Agent(name='one', instructions={given})\n", **more)


@pytest.mark.parametrize(
    "given",
    [
        "open('prompts/desk.md').read()",
        "Path('prompts/desk.md').read_text()",
        "(HERE / 'prompts' / 'desk.md').read_text().strip()",
        "Path(__file__).resolve().parent.joinpath('prompts', 'desk.md').read_text()",
        "open(os.path.join(FOLDER, 'desk.md')).read()",
        "load('desk')",
        "load_from('prompts')",
    ],
)
def test_a_prompt_in_a_file_is_read_at_the_place_that_reads_it(tmp_path: Path, given: str) -> None:
    written(tmp_path, **{"prompts/desk.md": TEXT, "prompts/other.md": "Other."})
    graph = one(tmp_path, given, elsewhere="from main import load\nload('other')\n")
    assert texts(graph, "one") == [TEXT]
    piece = next(p for p in system_prompts(graph) if p.agent).pieces[0]
    assert piece.file == "prompts/desk.md"


def test_a_prompt_of_a_package_is_found_by_the_packages_name(tmp_path: Path) -> None:
    graph = one(
        tmp_path,
        "resources.files('desk').joinpath('texts/desk.txt').read_text()",
        **{"desk/__init__": "", "desk/texts/desk.txt": TEXT},
    )
    assert texts(graph, "one") == [TEXT]


@pytest.mark.parametrize(
    "given",
    [
        "yaml.safe_load(open('prompts.yaml'))['desk']['system']",
        "yaml.safe_load(Path('prompts.yaml').read_text())['desk']['system']",
        "settings()['desk']['system']",
        "settings('prompts.yaml')['desk'].get('system')",
        "json.loads((HERE / 'prompts.json').read_text())['desk']['system']",
    ],
)
def test_a_prompt_under_keys_of_a_data_file_is_read(tmp_path: Path, given: str) -> None:
    written(
        tmp_path,
        **{
            "prompts.yaml": "desk:\n  system: You are the desk.\n  other: no\n",
            "prompts.json": '{"desk": {"system": "You are the desk."}}',
        },
    )
    assert texts(one(tmp_path, given), "one") == ["You are the desk."]


def test_a_prompt_from_a_constant_of_another_module_is_read(tmp_path: Path) -> None:
    graph = linked(
        tmp_path,
        """
        import texts.desk as desk
        from agents import Agent
        from texts import desk as again
        from texts.all import *

        one = Agent(name="one", instructions=desk.SYSTEM)
        two = Agent(name="two", instructions=again.SYSTEM)
        three = Agent(name="three", instructions=SYSTEM)
        """,
        **{
            "texts/__init__": "",
            "texts/desk": f"SYSTEM = {TEXT!r}\n",
            "texts/all": "from texts.desk import *\n",
        },
    )
    assert texts(graph, "one") == texts(graph, "two") == texts(graph, "three") == [TEXT]


@pytest.mark.parametrize(
    ("given", "file"),
    [
        ("open('prompts/gone.md').read()", "prompts/gone.md"),
        ("open('big.md').read()", "big.md"),
        ("open('binary.md').read()", "binary.md"),
        ("open('bomb.yaml').read()", None),
    ],
)
def test_a_file_that_is_not_read_is_named_and_its_text_left_open(
    tmp_path: Path, given: str, file: str | None
) -> None:
    written(tmp_path, **{"big.md": "x" * (LARGEST + 1)})
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    pieces = next(p for p in system_prompts(one(tmp_path, given)) if p.agent).pieces
    assert [p.text for p in pieces] == [None]
    assert pieces[0].file == (file or "bomb.yaml")


@pytest.mark.parametrize("path", ["../secret.md", "/etc/hostname", "link.md"])
def test_no_file_outside_the_folder_is_read(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.md").write_text("Secret.", "utf-8")
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    graph = one(folder, f"open({path!r}).read()")
    assert "Secret." not in texts(graph, "one")
    assert texts(graph, "one") == [None]


LAUGHS = "a0: &a0 [x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30)
)
MERGES = "m0: &m0 {k: v}\n" + "".join(
    f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 9)}]}}\n" for i in range(1, 30)
)


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        MERGES,
        "[" * 60_000,
        "- " * 30_000,
        "{a: " * 15_000,
        "a: &a [*a]\n",
        "a: !!python/object/apply:os.system ['echo']\n",
        "a: *gone\n",
        "? [a]\n: b\n",
        "a: 1:2:3\nb: 0x" + "f" * 50_000,
        "\t- [\n",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_yaml_neither_hangs_nor_ends_the_scan(tmp_path: Path, text: str) -> None:
    written(tmp_path, **{"prompts.yaml": text})
    assert texts(one(tmp_path, "settings()['desk']['system']"), "one") == [None]


CREW = """
from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, crew, task
from crewai_tools import SerperDevTool


@CrewBase
class Desk:
    agents_config = "config/agents.yaml"
    tasks_config = "config/tasks.yaml"

    @agent
    def researcher(self) -> Agent:
        return Agent(config=self.agents_config["researcher"], tools=[SerperDevTool()])

    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config["writer"], verbose=True)

    @task
    def research(self) -> Task:
        return Task(config=self.tasks_config["research"])

    @crew
    def crew(self) -> Crew:
        return Crew(name="desk", agents=self.agents, tasks=self.tasks)
"""


def test_a_crew_reads_its_agents_from_yaml(tmp_path: Path) -> None:
    graph = linked(
        tmp_path,
        "",
        **{
            "app/crew": CREW,
            "app/config/agents.yaml": """
                shared: &shared
                  goal: Find facts.
                researcher:
                  <<: *shared
                  role: >
                    Senior {topic} researcher
                  backstory: Curious.
                writer:
                  role: Writer
                  goal: Write.
                  backstory: Terse.
                """,
        },
    )
    assert {a.name for a in graph.agents} == {"Senior {topic} researcher", "Writer", "desk"}
    assert texts(graph, "Writer") == ["Write.", "Terse."]
    assert texts(graph, "Senior {topic} researcher") == ["Find facts.", "Curious."]
    desk = next(a for a in graph.agents if a.name == "desk")
    assert [a.name for a in desk.members] == ["Senior {topic} researcher", "Writer"]


def test_a_crew_whose_yaml_is_missing_is_named_by_the_keys_it_asks_for(tmp_path: Path) -> None:
    graph = linked(tmp_path, CREW)
    assert {a.name for a in graph.agents} == {"researcher", "writer", "desk"}
