"""YAML as its version 1.2 reads it (core schema), for PyYAML, which reads version 1.1.

So `no`, `on`, dates and times stay texts, and so do numbers with a leading zero, which are ids
more often than numbers. No tag makes anything but plain data. A key that stands twice in one
mapping is an error: the first would be lost in silence.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from agentcheck.model.pattern import lazy_re

if TYPE_CHECKING:
    import yaml

NESTED = 60
NODES = 50_000
"""Keys, values and items in a file; each takes the parser about 0.1 ms."""
_SCALARS = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?",
        list("-+.0123456789"),
    ),
)
_OPENING = lazy_re(r"[\[\]{}]")


def parse(text: str) -> Any:
    """The data in a text. Raises ValueError, which says the line, and RecursionError."""
    import yaml

    if _open_at_once(text) > NESTED:
        raise ValueError("nested too deeply")
    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506 - a SafeLoader, with less in it
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ValueError(f"{place}{error.problem or error.context or 'no YAML'}") from None
    except (yaml.YAMLError, KeyError) as error:
        raise ValueError(" ".join(str(error).split())) from None


@cache
def _loader() -> type[yaml.SafeLoader]:
    import yaml

    class Loader(yaml.SafeLoader):
        made = depth = 0

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            self.made += 1
            self.depth += 1
            if self.made > NODES:
                raise ValueError(f"more than {NODES:,} keys and values")
            if self.depth > NESTED:
                raise ValueError("nested too deeply")
            found = super().compose_node(parent, index)
            self.depth -= 1
            return found

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - PyYAML's
            _check_keys(node)
            return super().construct_mapping(node, deep)

    plain = ("null", "bool", "int", "float", "str", "seq", "map")
    tags = {f"tag:yaml.org,2002:{name}" for name in plain}
    made = yaml.SafeLoader.yaml_constructors
    Loader.yaml_implicit_resolvers = {}
    Loader.yaml_constructors = {tag: made[tag] for tag in (*tags, None)}
    for name, pattern, first in _SCALARS:
        tag = f"tag:yaml.org,2002:{name}"
        Loader.add_implicit_resolver(tag, re.compile(f"(?:{pattern})\\Z"), first)
    return Loader


def _check_keys(node: yaml.MappingNode) -> None:
    from yaml.constructor import ConstructorError

    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key.value, str):
            continue
        told = f'the key "{key.value}" stands twice in one mapping'
        if key.value == "<<":
            told = "merge keys (<<) are no part of YAML 1.2; write the keys out"
        elif key.value not in seen:
            seen.add(key.value)
            continue
        raise ConstructorError(None, None, told, key.start_mark)


def _open_at_once(text: str) -> int:
    """The most brackets open at once, as if none stood in text: the parser is slow on many."""
    most = here = 0
    for match in _OPENING.finditer(text):
        here = here + 1 if match.group() in "[{" else max(here - 1, 0)
        most = max(most, here)
    return most
