"""A made-up tree of agent code of any size, of which no two packages are alike.

A package is a small agent application as people write them: a client, tools, prompts, a loop with
handoffs, data classes, tests, helpers without any agent. Names, the number of tools, limits and
faults vary with the package's number, so that a cache by content finds nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

_DOMAINS = "orders refunds flights parcels tickets invoices rooms leads meters claims".split()
_VERBS = "find list send cancel update approve delete charge notify export".split()
_SDKS = ("openai", "anthropic", "swarm", "agents")


class Package:
    """What varies from one package to the next."""

    def __init__(self, number: int) -> None:
        random = Random(number)  # noqa: S311 - the same tree every time
        self.name = f"app_{number:05d}"
        self.domain = _DOMAINS[number % len(_DOMAINS)]
        self.sdk = _SDKS[number % len(_SDKS)]
        self.verbs = random.sample(_VERBS, random.randint(3, 8))
        self.limit = random.choice(("8", "20", "None", 'float("inf")'))
        self.guarded = random.random() < 0.5
        self.filler = random.randint(2, 30)


def write_tree(folder: Path, files: int) -> None:
    """Write exactly that many .py files below a folder."""
    made = 0
    number = 0
    while made < files:
        package = Package(number)
        home = folder / package.name
        home.mkdir(parents=True)
        for name, text in _files(package):
            if made < files:
                (home / name).write_text(text, "utf-8")
                made += 1
        number += 1


def _files(package: Package) -> Iterator[tuple[str, str]]:
    yield "__init__.py", f'"""The {package.domain} desk."""\n'
    for name, make in _MAKERS:
        yield name, make(package)


def _config(package: Package) -> str:
    return (
        f"import os\n\nMODEL = os.environ.get('MODEL', 'gpt-4o')\nMOST = {package.limit}\n"
        f"TIMEOUT = {package.filler}.0\nDOMAIN = '{package.domain}'\n"
    )


def _store(package: Package) -> str:
    fields = "\n".join(f"    {verb}d_at: str | None = None" for verb in package.verbs)
    return (  # the rows of a made-up file
        "import json\nimport sqlite3\nfrom dataclasses import dataclass\n\n\n@dataclass\n"
        f"class Record:\n    key: str\n    amount: float\n{fields}\n\n\n"
        "class Store:\n    def __init__(self, path: str) -> None:\n"
        "        self.base = sqlite3.connect(path)\n\n"
        "    def get(self, key: str) -> Record:\n"
        '        found = self.base.execute("SELECT * FROM records WHERE key = ?", (key,))\n'
        "        row = found.fetchone()\n"
        "        return Record(*json.loads(row[0]))\n\n"
        "    def put(self, record: Record) -> None:\n"
        '        self.base.execute("INSERT INTO records VALUES (?)", (record.key,))\n'
        "        self.base.commit()\n"
    )


def _tools(package: Package) -> str:
    store = f'from {package.name}.store import Store\n\nSTORE = Store("{package.domain}.db")\n'
    return store + "".join(_tool(package, verb) for verb in package.verbs)


def _tool(package: Package, verb: str) -> str:
    name = f"{verb}_{package.domain}"
    body = f'    record = STORE.get(key)\n    record.{verb}d_at = "now"\n    STORE.put(record)\n'
    return (
        f'\n\ndef {name}(key: str, note: str = "") -> str:\n    """{verb.title()} one of the '
        f'{package.domain}.\n\n    key: which one\n    """\n{body}'
        f'    return f"{verb} {{key}}: {{note}}"\n'
    )


def _agents(package: Package) -> str:
    names = [f"{verb}_{package.domain}" for verb in package.verbs]
    tools = f"from {package.name}.tools import {', '.join(names)}\n"
    prompt = f"You handle {package.domain}. Ask before you {package.verbs[0]} anything."
    if package.sdk == "agents":
        wrapped = ", ".join(f"function_tool({name})" for name in names)
        return (
            f"from agents import Agent, Runner, function_tool\n\n{tools}\n"
            f'desk = Agent(name="{package.domain} desk", instructions="{prompt}", '
            f"tools=[{wrapped}])\n\n\nasync def answer(text: str) -> str:\n"
            f"    result = await Runner.run(desk, text, max_turns={package.filler})\n"
            "    return result.final_output\n"
        )
    return (
        f"from swarm import Agent\n\n{tools}\n\ndef to_person() -> Agent:\n    return person\n\n\n"
        f'desk = Agent(name="{package.domain} desk", instructions="{prompt}", '
        f"functions=[{', '.join(names)}, to_person])\n"
        f'person = Agent(name="{package.domain} person", instructions="A person answers.")\n'
    )


def _loop(package: Package) -> str:
    names = ", ".join(f'"{verb}": {verb}_{package.domain}' for verb in package.verbs)
    imports = ", ".join(f"{verb}_{package.domain}" for verb in package.verbs)
    call = "arguments = json.loads(call.function.arguments)\n"
    guarded = (
        f"try:\n                {call}            except ValueError as error:\n"
        '                messages.append({"role": "tool", "content": str(error)})\n'
        "                continue\n"
    )
    return (
        "import json\n\nfrom openai import OpenAI\n\n"
        f"from {package.name}.config import MODEL, MOST, TIMEOUT\n"
        f"from {package.name}.tools import {imports}\n\n"
        f"client = OpenAI(timeout=TIMEOUT)\nTOOLS = {{{names}}}\n\n\n"
        "def run(messages: list, most=MOST) -> list:\n    turns = 0\n"
        "    while most is None or turns < most:\n        turns += 1\n"
        "        reply = client.chat.completions.create(model=MODEL, messages=messages)\n"
        "        message = reply.choices[0].message\n        messages.append(message)\n"
        "        if not message.tool_calls:\n            break\n"
        "        for call in message.tool_calls:\n"
        f"            {guarded if package.guarded else call}"
        "            result = TOOLS[call.function.name](**arguments)\n"
        '            messages.append({"role": "tool", "tool_call_id": call.id, '
        '"content": result})\n'
        "    return messages\n"
    )


def _helpers(package: Package) -> str:
    made = [
        f"def step_{n}(values: list[float], factor: float = {n}.5) -> float:\n"
        f"    total = 0.0\n    for value in values:\n        if value > factor:\n"
        f"            total += value * {n + package.filler}\n        else:\n"
        f"            total -= min(value, factor)\n    return total\n"
        for n in range(package.filler)
    ]
    return '"""Sums that no agent takes part in."""\n\n\n' + "\n\n".join(made)


def _main(package: Package) -> str:
    return (
        f"from {package.name}.helpers import step_1\nfrom {package.name}.loop import run\n\n\n"
        'def main() -> None:\n    messages = [{"role": "system", "content": "Be brief."}]\n'
        "    while True:\n        text = input('> ')\n"
        "        if text == 'quit':\n            break\n"
        '        messages.append({"role": "user", "content": text})\n'
        "        print(run(messages)[-1], step_1([1.0]))\n\n\n"
        "if __name__ == '__main__':\n    main()\n"
    )


def _tests(package: Package) -> str:
    verb = package.verbs[0]
    return (
        f"from {package.name}.loop import run\nfrom {package.name}.tools import "
        f"{verb}_{package.domain}\n\n\ndef test_{verb}() -> None:\n"
        f"    assert '{verb}' in {verb}_{package.domain}('a')\n\n\ndef test_run() -> None:\n"
        "    assert run([], 1)\n"
    )


_MAKERS: tuple[tuple[str, Callable[[Package], str]], ...] = (
    ("config.py", _config),
    ("store.py", _store),
    ("tools.py", _tools),
    ("desk.py", _agents),
    ("loop.py", _loop),
    ("helpers.py", _helpers),
    ("main.py", _main),
    ("test_loop.py", _tests),
)
