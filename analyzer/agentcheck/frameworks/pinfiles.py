"""Reads one file that names dependencies: what it says of each, in the file's own dialect.

Files are data from the target: nothing is run, reads are bounded, and what cannot be read says
nothing. Every reader yields (name as written, specifier as written, what kind of statement).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import PurePath
from typing import Any, Literal

from agentcheck.model.pattern import lazy_re

Kind = Literal["range", "install", "lock", "own"]
Stated = tuple[str, str, Kind]
Reader = Callable[[str], Iterable[Stated]]

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}"
_REQUIREMENT = lazy_re(rf"({_NAME})\s*(?:\[[^\]]{{0,200}}\])?\s*\(?\s*([^;#@)\s][^;#@)]*)?")
_QUOTED = lazy_re(r"""["']([^"'\n]{1,200})["']""")
_CONDA = lazy_re(
    rf"^[ \t]*-[ \t]*[\"']?(?:[\w-]+::)?({_NAME})[ \t]*([<>=!~][^\s\"'#]*)?", re.MULTILINE
)
_LOCKED = lazy_re(r'^name = "([^"\n]+)"\r?\nversion = "([^"\n]+)"', re.MULTILINE)
_LONGEST_LINE = 1000
_ENDS = (".toml", ".txt", ".in", ".cfg", "setup.py", "Pipfile", ".lock", ".yml", ".yaml")


def reader_for(path: str) -> Reader | None:
    """The reader of a file by its name; None where the file names no dependencies."""
    if not path.endswith(_ENDS):  # of most files the end alone says no
        return None
    name, folder = PurePath(path).name, PurePath(path).parent.name
    if folder == "requirements" and name.endswith((".txt", ".in")):
        return requirements
    return next((reader for pattern, reader in _READERS if fnmatch(name, pattern)), None)


def requirement(text: str, kind: Kind) -> Stated | None:
    """A requirement as in PEP 508: `openai[extra]>=1,<2; marker`; an address says nothing."""
    found = _REQUIREMENT.match(text.strip()[:_LONGEST_LINE])
    if not found:
        return None
    return found[1], (found[2] or "").split("--hash")[0].strip(), kind


def requirements(text: str, kind: Kind = "install") -> Iterator[Stated]:
    """requirements.txt and constraints.txt; what they include is read where it lies."""
    for line in text.replace("\\\n", " ").splitlines():
        if not line.lstrip().startswith(("-", "#")) and (found := requirement(line, kind)):
            yield found


def setup_cfg(text: str) -> Iterator[Stated]:
    """setup.cfg: a list may also start on the line of its key."""
    yield from requirements(re.sub(r"^\w+[ \t]*=[ \t]*", "", text, flags=re.MULTILINE), "range")


def setup_py(text: str) -> Iterator[Stated]:
    """setup.py: every quoted text that reads like a requirement."""
    for quoted in _QUOTED.findall(text):
        if found := requirement(quoted, "range"):
            yield found


def conda(text: str) -> Iterator[Stated]:
    """environment.yml, with the list of pip inside it."""
    for name, spec in _CONDA.findall(text):
        exact = re.fullmatch(r"=([\w.*]+)=[\w.*]+", spec)
        yield name, f"=={exact[1]}" if exact else spec, "install"


def lock(text: str) -> Iterator[Stated]:
    """uv.lock, poetry.lock, pdm.lock and pylock.toml, which all write packages alike."""
    for name, version in _LOCKED.findall(text):
        yield name, version, "lock"


def pipfile_lock(text: str) -> Iterator[Stated]:
    """Pipfile.lock."""
    for group in ("default", "develop"):
        for name, entry in _table(_json(text), group).items():
            if isinstance(entry, dict) and isinstance(entry.get("version"), str):
                yield name, entry["version"].removeprefix("=="), "lock"


def pipfile(text: str) -> Iterator[Stated]:
    """Pipfile."""
    data = _toml(text)
    for group in ("packages", "dev-packages"):
        yield from _poetry_like(_table(data, group), "install")


def pyproject(text: str) -> Iterator[Stated]:
    """pyproject.toml: PEP 621, PEP 735 groups, Poetry, uv, PDM, and the project's own release."""
    data = _toml(text)
    project, tool = _table(data, "project"), _table(data, "tool")
    yield from _itself(project)
    groups = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    groups += _table(data, "dependency-groups").values()
    groups += _table(_table(tool, "pdm"), "dev-dependencies").values()
    groups += [v for k, v in _table(tool, "uv").items() if k.endswith("-dependencies")]
    for text_ in (t for g in groups if isinstance(g, list) for t in g if isinstance(t, str)):
        if found := requirement(text_, "range"):
            yield found
    yield from _poetry(_table(tool, "poetry"))


def _itself(project: dict[str, Any]) -> Iterator[Stated]:
    """An SDK's own repository is checked as the release it holds."""
    name, version = project.get("name"), project.get("version")
    if isinstance(name, str) and isinstance(version, str):
        yield name, version, "own"


def _poetry(poetry: dict[str, Any]) -> Iterator[Stated]:
    yield from _poetry_like(_table(poetry, "dependencies"))
    yield from _poetry_like(_table(poetry, "dev-dependencies"))
    for group in _table(poetry, "group").values():
        yield from _poetry_like(_table(group, "dependencies"))


def _poetry_like(table: dict[str, Any], kind: Kind = "range") -> Iterator[Stated]:
    for name, value in table.items():
        for one in value if isinstance(value, list) else [value]:
            spec = one.get("version", "") if isinstance(one, dict) else one
            if isinstance(spec, str):
                yield name, spec, kind


def _table(data: Any, key: str) -> dict[str, Any]:
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, dict) else {}


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (RecursionError, ValueError):
        return {}


_READERS: tuple[tuple[str, Reader], ...] = (
    ("pyproject.toml", pyproject),
    ("*requirements*.txt", requirements),
    ("*requirements*.in", requirements),
    ("*constraints*.txt", requirements),
    ("setup.cfg", setup_cfg),
    ("setup.py", setup_py),
    ("Pipfile", pipfile),
    ("Pipfile.lock", pipfile_lock),
    ("environment*.yml", conda),
    ("environment*.yaml", conda),
    ("conda*.yml", conda),
    ("conda*.yaml", conda),
    ("uv.lock", lock),
    ("poetry.lock", lock),
    ("pdm.lock", lock),
    ("pylock*.toml", lock),
)
