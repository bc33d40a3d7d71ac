"""What a finding says of the code's names, made safe to stand in a generated test."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Mapping
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
    "entry": {
        "module": "the dotted name of the module that asks the model",
        "entry": "its function that runs to the end, or the method of its class",
    },
    "tool": {
        "module": "the dotted name of the module that defines the tool",
        "tool": "the function of the tool",
    },
    "module": {},
}
DOTTED = frozenset({"module", "agent_class", "session", "agent_module", "tool", "missing"})
QUALIFIED = frozenset({"agent_class", "session"})  # a module and a name in it
# Keywords of the agent class that the tests use themselves.
KEYWORDS_USED = frozenset({"name", "instructions", "model"})


class Names(NamedTuple):
    """`values` fill the templates; `missing` says of each name that is not known what it is."""

    values: dict[str, str]
    missing: dict[str, str]


class Given(NamedTuple):
    """The names of a finding: all as they came, those that are identifiers, and all that is needed.

    What is needed and not known is there as the placeholder `fill_in_<key>`. `taken` are names that
    a definition cannot keep in a test.
    """

    raw: Mapping[str, str]
    known: Mapping[str, str]
    needed: Mapping[str, str]
    taken: frozenset[str]

    def imported(self, name: str, *also: str) -> tuple[str, str]:
        """The name that a definition gets in the test, and how it is imported."""
        bound = bound_as(name, self.taken | set(also))
        return bound, name if name == bound else f"{name} as {bound}"


def read_names(names: Mapping[str, str], shape: str, taken: frozenset[str]) -> Names:
    """The values for the templates of a shape; what is missing is named for a person."""
    from agentcheck.acceptance import values

    known = {key: names[key] for key in names if _fits(key, names[key])}
    if known.get("agent_param") == known.get("messages_param"):
        known.pop("messages_param", None)
    required = REQUIRED[shape]
    missing = {key: what for key, what in required.items() if key not in known}
    needed = {key: known.get(key, f"fill_in_{key}") for key in required}
    given = Given(names, known, needed, taken)
    made: dict[str, Callable[[Given], dict[str, str]]] = {
        "runner": values.runner,
        "entry": values.entry,
        "tool": values.tool,
        "module": values.module,
    }
    shared = {
        "module": needed.get("module", "fill_in_module"),
        "import_path": import_path(names.get("import_root", ".")),
        "package": _package(known),
    }
    return Names({**shared, **made[shape](given)}, missing)


def literal(text: str) -> str:
    """The text as a Python string literal, printable whatever the text."""
    plain = text.isprintable() and not set(text) & set("'\"\\")
    return f'"{text}"' if plain else repr(text)


def is_identifier(text: str) -> bool:
    """Whether a text can stand as a name of its own in a test."""
    return text.isidentifier() and not keyword.iskeyword(text) and not text.startswith("__")


def is_dotted(text: str) -> bool:
    """Whether it is identifiers with dots between."""
    return all(is_identifier(part) for part in text.split("."))


def bound_as(name: str, taken: Iterable[str]) -> str:
    """pytest would collect a class called Test...; a name of the test's own would be hidden."""
    return f"The{name}" if name in taken or name.startswith(("Test", "test")) else name


def import_path(folder: str) -> str:
    """The import root, if it stays inside the scanned folder; else that folder."""
    root = inside(folder)
    return "TARGET" if root == "." else f"(TARGET / {literal(root)})"


def inside(path: str) -> str:
    """A relative path, if it stays inside the scanned folder; else that folder itself."""
    pure = PurePosixPath(path)
    stays = not (pure.is_absolute() or ".." in pure.parts or "\\" in path)
    return str(pure) if stays else "."


def _package(known: Mapping[str, str]) -> str:
    name = known.get("package")
    return f'\n    as_package(TARGET, "{name}")' if name else ""


def _fits(key: str, value: str) -> bool:
    parts = value.split(".") if key in DOTTED else [value]
    if key in QUALIFIED and len(parts) < 2:
        return False
    if key == "functions_field" and value in KEYWORDS_USED:
        return False
    return all(is_identifier(part) for part in parts)
