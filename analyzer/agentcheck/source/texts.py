"""Text and data files beside the code, such as prompts: small regular files inside one folder."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from agentcheck.model.pattern import lazy_re

if TYPE_CHECKING:
    import yaml

LARGEST = 64 * 1024  # bytes; longer texts are not read
NESTED = 40  # levels of lists and mappings in a data file
NODES = 5_000  # keys, values and items in a YAML file: each takes its parser about 0.1 ms
_BRACKET = lazy_re(r"[\[\]{}]")
Data: TypeAlias = "str | list[Data] | dict[str, Data] | None"


class Texts:
    """Reads files by their name relative to a folder; None for whatever cannot be read.

    A link that leads out of the folder is not followed.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts: dict[str, str | None] = {}
        self._data: dict[str, Data] = {}

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of the files that were asked for, read or not."""
        return tuple(self._texts)

    def text(self, path: str) -> str | None:
        """The text of a file in UTF-8 of at most LARGEST bytes."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: str) -> str | None:
        try:
            real = Path(os.path.realpath(self._root / path))
            if not real.is_relative_to(os.path.realpath(self._root)) or not real.is_file():
                return None
            with real.open("rb") as file:
                data = file.read(LARGEST + 1)
            return data.decode("utf-8-sig") if len(data) <= LARGEST else None
        except (OSError, ValueError):
            return None

    def data(self, path: str) -> Data:
        """What a YAML, JSON or TOML file holds, every scalar as text; None where it is not read."""
        if path not in self._data:
            text = self.text(path)
            self._data[path] = parse(text, path) if text is not None else None
        return self._data[path]


def hashes(texts: Texts, paths: Iterable[str]) -> dict[str, bytes]:
    """The hashes of some texts by path; empty for one that is not read."""
    found = {path: texts.text(path) for path in paths}
    return {
        path: b"" if text is None else sha256(text.encode("utf-8", "surrogateescape")).digest()
        for path, text in found.items()
    }


def parse(text: str, name: str) -> Data:
    """The data in a text whose format the name tells; None for a text that is not valid."""
    try:
        if name.endswith((".yaml", ".yml")):
            return _plain(_yaml(text))
        if name.endswith(".json"):
            return _plain(json.loads(text))
        return _plain(tomllib.loads(text)) if name.endswith(".toml") else None
    except (ValueError, RecursionError):
        return None


def _yaml(text: str) -> object:
    """YAML without tags: plain lists, mappings and texts. Raises ValueError."""
    import yaml

    if _opened(text) > NESTED:
        raise ValueError("nested too deeply")
    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506 - makes plain data only
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


@cache
def _loader() -> type[yaml.BaseLoader]:
    """A loader that makes text, lists and mappings and nothing else, and not too many.

    It shares what an alias names and copies no merged mapping, so that aliases of aliases cost
    nothing.
    """
    import yaml

    class Loader(yaml.BaseLoader):
        made = 0

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            self.made += 1
            if self.made > NODES:
                raise ValueError("too many nodes")
            return super().compose_node(parent, index)

    return Loader


def _opened(text: str) -> int:
    """The most brackets open at once, as if none stood in text: the parser is slow on many."""
    most = here = 0
    for match in _BRACKET.finditer(text):
        here = here + 1 if match.group() in "[{" else max(here - 1, 0)
        most = max(most, here)
    return most


def _plain(value: object, depth: int = NESTED, seen: dict[int, Data] | None = None) -> Data:
    """The value with its scalars as text and mappings that it merges put in; shared stays shared.

    Raises ValueError for what is nested deeper than `depth`.
    """
    seen = {} if seen is None else seen
    if depth < 0:
        raise ValueError("nested too deeply")
    if id(value) in seen:
        return seen[id(value)]
    found: Data = None
    if isinstance(value, list):
        found = [_plain(item, depth - 1, seen) for item in value]
    elif isinstance(value, dict):
        found = _merged({str(k): _plain(v, depth - 1, seen) for k, v in value.items()})
    elif value is not None:
        found = str(value)
    if isinstance(value, (list, dict)):
        seen[id(value)] = found
    return found


def _merged(mapping: dict[str, Data]) -> dict[str, Data]:
    """A mapping with what YAML's `<<` names; its own keys win."""
    more = mapping.pop("<<", None)
    for other in more if isinstance(more, list) else [more]:
        if isinstance(other, dict):
            mapping = {**other, **mapping}
    return mapping
