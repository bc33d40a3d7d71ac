"""What a finding says of the code's names, made safe to stand in a generated test."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

# What a test of each shape cannot do without, and what each is, for whoever must fill it in.
REQUIRED: dict[str, dict[str, str]] = {
    "runner": {
        "module": "the dotted name of the module that defines the class that runs agents",
        "runner": "the class that runs agents",
        "run": "its method that runs an agent to the end",
        "agent_param": "the parameter of that method that takes the agent",
        "messages_param": "the parameter of that method that takes the messages",
        "agent_class": "the dotted name of the agent class",
        "functions_field": "the keyword of the agent class that takes the tools",
    },
}
DOTTED = frozenset({"module", "agent_class", "session"})
QUALIFIED = frozenset({"agent_class", "session"})  # a module and a name in it
# Keywords of the agent class that the tests use themselves.
KEYWORDS_USED = frozenset({"name", "instructions", "model"})


class Names(NamedTuple):
    """`values` fill the templates; `missing` says of each name that is not known what it is."""

    values: dict[str, str]
    missing: dict[str, str]


def read_names(names: Mapping[str, str], shape: str, taken: frozenset[str]) -> Names:
    """The values for the templates; `taken` are names that a definition cannot keep there.

    A name that is missing, or is no identifier, gets the placeholder `fill_in_<key>`.
    """
    known = {key: names[key] for key in names if _fits(key, names[key])}
    if known.get("agent_param") == known.get("messages_param"):
        known.pop("messages_param", None)
    required = REQUIRED[shape]
    missing = {key: what for key, what in required.items() if key not in known}
    needed = {key: known.get(key, f"fill_in_{key}") for key in required}
    values = {
        "module": needed["module"],
        "import_path": _import_path(names.get("import_root", ".")),
        **_runner_values(needed, known, taken),
        **_session(known, taken),
        **_setting(known, names),
    }
    return Names(values, missing)


def literal(text: str) -> str:
    """The text as a Python string literal, printable whatever the text."""
    plain = text.isprintable() and not set(text) & set("'\"\\")
    return f'"{text}"' if plain else repr(text)


def _runner_values(
    needed: Mapping[str, str], known: Mapping[str, str], taken: frozenset[str]
) -> dict[str, str]:
    module, _, agent_class = needed["agent_class"].rpartition(".")
    runner = _bound_as(needed["runner"], taken)
    agent = _bound_as(agent_class, taken | {runner})
    methods = dict.fromkeys([needed["run"], known.get("stream") or needed["run"]])
    values = {
        "Runner": runner,
        "runner_import": _imported(needed["runner"], runner),
        "agent_module": module or "fill_in_agent_module",
        "Agent": agent,
        "agent_import": _imported(agent_class, agent),
        "methods": ", ".join(f'"{method}"' for method in methods),
        "wiring": _wiring(needed, known),
    }
    limit = known.get("limit_param")
    own = {needed["agent_param"], needed["messages_param"]}
    return values | ({"limit": limit} if limit and limit not in own else {})


def _wiring(needed: Mapping[str, str], known: Mapping[str, str]) -> str:
    """The names of parameters, as the keywords of `Runner`."""
    given = {
        "client": known.get("client_param", ""),
        "agent": needed["agent_param"],
        "messages": needed["messages_param"],
        "tools": needed["functions_field"],
    }
    return ", ".join(f'{key}="{name}"' for key, name in given.items() if name)


def _session(known: Mapping[str, str], taken: frozenset[str]) -> dict[str, str]:
    if "session" not in known or "session_agent" not in known:
        return {}
    module, _, name = known["session"].rpartition(".")
    bound = _bound_as(name, taken)
    return {
        "session_module": module,
        "session_import": _imported(name, bound),
        "session": bound,
        "session_agent": known["session_agent"],
    }


def _setting(known: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    """The setting that a false value is given for, and that value."""
    falsy = names.get("falsy", "")
    falsy = falsy if falsy in ("0", "False") else "''"
    return {"setting": known.get("setting", "fill_in_setting"), "falsy": falsy}


def _fits(key: str, value: str) -> bool:
    parts = value.split(".") if key in DOTTED else [value]
    if key in QUALIFIED and len(parts) < 2:
        return False
    if key == "functions_field" and value in KEYWORDS_USED:
        return False
    return all(_identifier(part) for part in parts)


def _identifier(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text) and not text.startswith("__")


def _bound_as(name: str, taken: frozenset[str]) -> str:
    """pytest would collect a class called Test...; a name of the test's own would be hidden."""
    return f"The{name}" if name in taken or name.startswith(("Test", "test")) else name


def _imported(name: str, bound: str) -> str:
    return name if name == bound else f"{name} as {bound}"


def _import_path(folder: str) -> str:
    """The import root, if it stays inside the scanned folder; else that folder."""
    path = PurePosixPath(folder)
    inside = not (path.is_absolute() or ".." in path.parts or "\\" in folder)
    root = str(path) if inside else "."
    return "TARGET" if root == "." else f"(TARGET / {literal(root)})"
