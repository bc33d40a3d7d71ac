"""Tools by the target's own registries, for dispatchers and for agents."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.linking_targets import HEAD, linked, tools_of, verdict, written

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
