"""`agentcheck graph` of code whose names are made to break each format."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.command_line import Here
from tests.run_targets import write

FORMATS = ("mermaid", "dot", "json", "svg")
SWARM = "from swarm import Agent\n\n"
NASTY = (
    '"]; click n1 href "javascript:alert(1)"',
    "</title></svg><script>alert(1)</script>",
    "%%{init: {'theme':'dark'}}%%",
    "\\\"]; } digraph x { a -> b [label=\\N",
    "end",
    "1. first",
    "`code` **bold** #quot; &amp;",
    "\x1b[31mred\u202egpj.exe\u2066",
    "]]> <![CDATA[ --> ￾￿",
    "日本語の担当者" * 20,
    "a" * 5000,
)  # fmt: skip


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """The command inside this process."""
    return Here(capfd)


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    """A folder whose agents have hostile names; each hands over to the next."""
    lines = [f"a{n} = Agent(name={name!r})" for n, name in enumerate(NASTY)]
    lines += [f"a{n}.functions = [lambda: None, a{n + 1}]" for n in range(len(NASTY) - 1)]
    return write(tmp_path, app=SWARM + "\n".join(lines) + "\n")


def test_hostile_names_stay_text_in_mermaid(here: Here, nasty: Path) -> None:
    lines = here("graph", nasty, "--isolated").out.splitlines()
    word = r"[^\"#`<>\[\]{}|;%\\]"
    label = rf'"(?:{word}|<br/>|#\d+;)*"'
    node = rf"  n\d+\S{{1,2}}{label}\S{{1,2}}:::\w+"
    edge = rf"  n\d+ [-=.>]+(?:\|{label}\|)? n\d+"
    other = r"flowchart LR|  accTitle: [\w. -]+|  accDescr: [\w, ()]+|  classDef \w+ [\w:#,; -]+"
    for line in lines:
        assert re.fullmatch(f"{node}|{edge}|{other}", line), line


def test_hostile_names_stay_text_in_dot(here: Here, nasty: Path) -> None:
    text = here("graph", nasty, "--isolated", "--format", "dot").out
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "S", text)
    assert set(re.sub(r"[\w\s=\[\],;]|->", "", bare)) <= set("{}")
    assert bare.count("{") == bare.count("}") == 1


def test_hostile_names_stay_text_in_svg(here: Here, nasty: Path) -> None:
    text = here("graph", nasty, "--isolated", "--format", "svg").out
    tree = ET.fromstring(text)  # noqa: S314 - our own
    names = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert names <= {"svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text",
                     "g", "circle"}  # fmt: skip
    for element in tree.iter():
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]
    assert "</script>" not in text


@pytest.mark.parametrize("form", FORMATS)
def test_control_and_direction_characters_are_shown(here: Here, nasty: Path, form: str) -> None:
    text = here("graph", nasty, "--isolated", "--format", form).out
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_secrets_in_the_code_are_masked(here: Here, tmp_path: Path) -> None:
    secret = "sk-" + "a1" * 20
    code = SWARM + f"one = Agent(name='One', functions=[load({secret!r})])\n"
    text = here("graph", write(tmp_path, app=code), "--isolated", "--format", "json").out
    assert "load(" in text
    assert secret not in text


def test_a_graph_too_large_for_mermaid_is_folded_and_says_so(here: Here, tmp_path: Path) -> None:
    tools = "".join(f"def tool_{n}(x):\n    return x\n\n\n" for n in range(90))
    names = ", ".join(f"tool_{n}" for n in range(90))
    agents = "".join(f"Agent(name='A{n}', functions=[{names}])\n" for n in range(6))
    text = here("graph", write(tmp_path, app=SWARM + tools + agents), "--isolated").out
    assert "%% Too large for Mermaid" in text
    assert len(text) < 50_000
    assert "A0 (" in text
    assert "90 tools or calls)" in text
