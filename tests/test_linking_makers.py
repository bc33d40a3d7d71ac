"""Tools and agents however they are made: wrapped, by factories and methods, linked later."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.linking_targets import HEAD, agent, linked, tools_of


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("[functools.partial(pay, 'o')]", ["pay"]),
        ("[bound]", ["pay"]),
        ("[made('x')]", ["send"]),
        ("[function_tool(f) for f in (pay, look_up)]", ["look_up", "pay"]),
        ("[Deploy(), Caller()]", ["Caller", "deploy"]),
        ("box.functions", ["alpha", "beta"]),
        ("gathered()", ["look_up", "pay"]),
        ("[*some, look_up]", ["look_up", "pay"]),
        ("modules.TOOLS", ["far"]),
        ("BY_NAME.values()", ["look_up", "pay"]),
        ("[BY_NAME['p']]", ["pay"]),
        ("[]", []),
    ],
)
def test_tools_are_found_however_they_are_made(
    tmp_path: Path, given: str, expected: list[str]
) -> None:
    graph = linked(
        tmp_path,
        HEAD
        + f"""
import modules

bound = functools.partial(pay, "o")
some = [pay]
BY_NAME = {{"p": pay, "l": look_up}}


def made(server):
    def send(to: str):
        return to
    return send


class Base:
    name = "base"

    def execute(self):
        raise NotImplementedError


class Deploy(Base):
    name = "deploy"

    def execute(self, where: str):
        return where


class Caller:
    def __call__(self, x: str):
        return x


class Box:
    def __init__(self):
        self.functions = [self.alpha, self.beta]

    def alpha(self, x: str):
        return x

    def beta(self, x: str):
        return x


box = Box()


def gathered():
    tools = [pay]
    tools.append(look_up)
    return tools


one = Agent(name="one", tools={given})
""",
        modules="def far(x):\n    return x\n\nTOOLS = [far]\n",
    )
    assert tools_of(graph, "one") == expected


def test_agents_of_factories_and_methods_are_linked(tmp_path: Path) -> None:
    graph = linked(
        tmp_path,
        HEAD
        + """
def make(tools, then=None):
    return Agent(name="made", tools=tools, handoffs=[last()])


def last():
    return Agent(name="last")


class App:
    def __init__(self):
        self.desk = Agent(name="desk", tools=[look_up])
        self.other = make([pay])
        self.desk.handoffs.append(self.other)
""",
    )
    assert tools_of(graph, "made") == ["pay"]
    assert [a.name for a in agent(graph, "made").handoffs] == ["last"]
    assert [a.name for a in agent(graph, "desk").handoffs] == ["made"]


def test_handoffs_that_are_added_later_count_wherever_that_is_done(tmp_path: Path) -> None:
    graph = linked(
        tmp_path,
        HEAD
        + """
a, b, c, d = (Agent(name=n) for n in "abcd")
one = Agent(name="one")
two = Agent(name="two")
three = Agent(name="three")
four = Agent(name="four")


def link():
    one.handoffs = [two, handoff(three)]
    two.handoffs.extend([three])


def join(giver, taker):
    giver.handoffs.append(taker)


link()
join(three, four)
for each in (four, two):
    each.handoffs += [one]
""",
    )
    following = {a.name: sorted(h.name for h in a.handoffs) for a in graph.agents}
    assert following["one"] == ["three", "two"]
    assert following["two"] == ["one", "three"]
    assert following["three"] == ["four"]
    assert following["four"] == ["one"]
