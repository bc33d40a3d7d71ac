"""Small agents with one fault each, and what they are once it is mended."""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    """A rule, a file with its fault, and the file afterwards."""

    rule: str
    before: str
    after: str


OPENAI = "import json\n\nfrom openai import OpenAI\n\nclient = OpenAI()\n\n\n"

LIMIT = Sample(
    "unbounded-loop",
    OPENAI
    + """def run(messages, max_turns: int = float("inf")):  # who needs a limit
    turns = 0
    while turns < max_turns:
        turns += 1
        reply = client.chat.completions.create(model="gpt-4o", messages=messages)
        messages.append(reply.choices[0].message)
        if reply.choices[0].finish_reason == "stop":
            break
    return messages
""",
    OPENAI
    + """def run(messages, max_turns: int = 20):  # who needs a limit
    turns = 0
    while turns < max_turns:
        turns += 1
        reply = client.chat.completions.create(model="gpt-4o", messages=messages)
        messages.append(reply.choices[0].message)
        if reply.choices[0].finish_reason == "stop":
            break
    return messages
""",
)

ENTRY = Sample(
    "unbounded-loop",
    """import anthropic

client = anthropic.Anthropic()


def answer(messages, tools):
    return client.beta.messages.tool_runner(
        model="claude-sonnet-4-5",
        messages=messages,
        tools=tools,  # all of them
    ).until_done()
""",
    """import anthropic

client = anthropic.Anthropic()


def answer(messages, tools):
    return client.beta.messages.tool_runner(
        model="claude-sonnet-4-5",
        messages=messages,
        tools=tools,  # all of them
        max_iterations=20,
    ).until_done()
""",
)

KEYWORD = Sample(
    "unknown-agent-keyword",
    """from dataclasses import dataclass, field


@dataclass
class Agent:
    name: str
    instructions: str = ""
    tools: list = field(default_factory=list)


guide = Agent(
    name="Guide",
    # What it is told.
    instructon = "Show the way.",
)
""",
    """from dataclasses import dataclass, field


@dataclass
class Agent:
    name: str
    instructions: str = ""
    tools: list = field(default_factory=list)


guide = Agent(
    name="Guide",
    # What it is told.
    instructions = "Show the way.",
)
""",
)

TIMEOUT = Sample(
    "no-timeout",
    '''import subprocess

import requests
from agents import function_tool


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    subprocess.run(["logger", city])
    return requests.get("https://weather.example", params={"q": city}).text
''',
    '''import subprocess

import requests
from agents import function_tool


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    subprocess.run(["logger", city], timeout=120)
    return requests.get("https://weather.example", params={"q": city}, timeout=30).text
''',
)

_TURN = """TOOLS = {"price": len}


def turn(messages):
    reply = client.chat.completions.create(model="gpt-4o", messages=messages)
    for call in reply.choices[0].message.tool_calls:
        # What the model wrote.
"""
_ANSWER = """        messages.append({
            "role": "tool",
            "tool_call_id": call.id,
            "name": name,
            "content": CONTENT,
        })
"""

ARGUMENTS = Sample(
    "tool-args-unguarded",
    OPENAI
    + _TURN
    + "        args = json.loads(call.function.arguments)  # a dict\n"
    + "        name = call.function.name\n"
    + "        result = price(args)\n"
    + _ANSWER.replace("CONTENT", "result"),
    OPENAI
    + _TURN
    + """        try:
            args = json.loads(call.function.arguments)  # a dict
        except json.JSONDecodeError as error:
            messages.append({
                "role": "tool",
                "tool_call_id": call.id,
                "content": f"Error: not valid JSON: {error}",
            })
            continue
"""
    + "        name = call.function.name\n"
    + "        result = price(args)\n"
    + _ANSWER.replace("CONTENT", "result"),
)

TOOL = Sample(
    "tool-error-ends-run",
    OPENAI
    + _TURN
    + "        name = call.function.name\n"
    + "        result = TOOLS[name](call.function.arguments)\n"
    + _ANSWER.replace("CONTENT", "result"),
    OPENAI
    + _TURN
    + "        name = call.function.name\n"
    + """        try:
            result = TOOLS[name](call.function.arguments)
        except Exception as error:
            messages.append({
                "role": "tool",
                "tool_call_id": call.id,
                "name": name,
                "content": f"Error: {error}",
            })
            continue
"""
    + _ANSWER.replace("CONTENT", "result"),
)

FINISH = Sample(
    "finish-reason-unchecked",
    OPENAI
    + """def ask(question):
    reply = client.chat.completions.create(model="gpt-4o", messages=[question])

    # The answer.
    return reply.choices[0].message.content
""",
    OPENAI
    + """def ask(question):
    reply = client.chat.completions.create(model="gpt-4o", messages=[question])

    finish_reason = reply.choices[0].finish_reason
    if finish_reason in ("length", "content_filter"):
        raise RuntimeError(f"the reply is not whole: {finish_reason}")
    # The answer.
    return reply.choices[0].message.content
""",
)

SAMPLES = {
    "limit": LIMIT,
    "entry": ENTRY,
    "keyword": KEYWORD,
    "timeout": TIMEOUT,
    "arguments": ARGUMENTS,
    "tool": TOOL,
    "finish": FINISH,
}
