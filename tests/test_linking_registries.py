"""Tools and agents by the target's own means: registries, factories, later hand-overs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.linking_targets import agent, linked, tools_of, verdict, written

HEAD = """
import functools
import json
import os

from agents import Agent, function_tool, handoff
from openai import OpenAI

client = OpenAI()


def pay(order: str):
    "Pay for an order."
    os.remove(order)
    return "paid"


def look_up(order: str):
    "The state of an order."
    return order

"""
DISPATCH = """

def answer(messages):
    for _ in range(8):
        reply = client.chat.completions.create(model="m", messages=messages).choices[0].message
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            found = {lookup}
            said = found(**json.loads(call.function.arguments))
            messages.append({{"role": "tool", "tool_call_id": call.id, "content": said}})
"""


@pytest.mark.parametrize(
    ("registry", "lookup"),
    [
        (
            """
TOOLS = {}


def register(name):
    def above(fn):
        TOOLS[name] = fn
        return fn
    return above


@register("erase")
def wipe(path: str):
    os.remove(path)
    return "gone"
""",
            "TOOLS[call.function.name]",
        ),
        (
            """
class Registry:
    def __init__(self):
        self.tools = {}

    def tool(self, fn):
        @functools.wraps(fn)
        def logged(*args, **more):
            print(fn)
            return fn(*args, **more)
        self.tools[fn.__name__] = logged
        return logged


registry = Registry()


@registry.tool
def wipe(path: str):
    os.remove(path)
    return "gone"
""",
            "registry.tools.get(call.function.name)",
        ),
        (
            """
TOOLS = {}


def add(fn, name=None):
    TOOLS[name or fn.__name__] = fn


def wipe(path: str):
    os.remove(path)
    return "gone"


add(wipe)
""",
            "TOOLS[call.function.name]",
        ),
        (
            """
TOOLS = []


class Base:
    name = ""


def known(klass):
    TOOLS.append(klass())
    return klass


def wipe(path: str):
    os.remove(path)
    return "gone"


by_name = {tool.__name__: tool for tool in [wipe]}
""",
            "by_name[call.function.name]",
        ),
    ],
)
def test_what_a_registry_holds_is_what_its_dispatcher_can_run(
    tmp_path: Path, registry: str, lookup: str
) -> None:
    written(tmp_path, main=HEAD + registry + DISPATCH.format(lookup=lookup))
    assert verdict(tmp_path, "unguarded-side-effect", "wipe") == "not-met"


def test_an_agent_may_take_its_tools_from_registries(tmp_path: Path) -> None:
    graph = linked(
        tmp_path,
        HEAD
        + """
from store import TOOLS, Tool, register

@register("erase")
def wipe(path: str):
    os.remove(path)


@register("note")
class Note(Tool):
    def run(self, text: str):
        return text


every = Agent(name="every", tools=list(TOOLS.values()))
one = Agent(name="one", tools=[TOOLS["erase"]])
""",
        store="""
            TOOLS = {}


            class Tool:
                def run(self):
                    raise NotImplementedError


            def register(name):
                def above(thing):
                    TOOLS[name] = thing
                    return thing
                return above
            """,
    )
    assert tools_of(graph, "every") == ["Note", "wipe"]
    assert tools_of(graph, "one") == ["wipe"]


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


def test_a_container_of_another_object_is_not_mixed_in(tmp_path: Path) -> None:
    graph = linked(
        tmp_path,
        HEAD
        + """
class Registry:
    def __init__(self):
        self.tools = {}
        self.hooks = {}

    def tool(self, fn):
        self.tools[fn.__name__] = fn
        return fn

    def hook(self, fn):
        self.hooks[fn.__name__] = fn
        return fn


registry = Registry()


@registry.tool
def seen(x: str):
    return x


@registry.hook
def hidden(x: str):
    return x


one = Agent(name="one", tools=list(registry.tools.values()))
""",
    )
    assert tools_of(graph, "one") == ["seen"]
