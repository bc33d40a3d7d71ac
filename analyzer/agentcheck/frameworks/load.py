"""Reads the data files, and narrows a framework to the release that a target uses."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from agentcheck.frameworks.aliases import with_aliases
from agentcheck.frameworks.schema import Entry, Framework, Moved, Removed
from agentcheck.frameworks.shapes import ShapeError, fill

E = TypeVar("E", bound=Entry)

Header: TypeAlias = dict[str, Any]
"""What a data file says of the SDK itself, before its tables."""
KINDS = ("agent", "tool", "handoff", "run", "client", "model_call", "approval", "graph")


class FrameworkError(Exception):
    """A framework's data is not valid; the message names the file and the path inside it."""


class Read(Struct, array_like=True):
    """What was read of the data files so far, by the name of the SDK; more is read when it is
    asked for. Reading TOML takes ten times as long as reading this from a cache."""

    headers: dict[str, Header]
    frameworks: dict[str, Framework]


_READ = Read({}, {})


def read_so_far() -> Read:
    """What this process knows of the data files."""
    return Read(dict(_READ.headers), dict(_READ.frameworks))


def recall(read: Read) -> None:
    """Take what another process of this very tool has read."""
    _READ.headers.update(read.headers)
    _READ.frameworks.update(read.frameworks)


def load(roots: Collection[str] | None = None) -> tuple[Framework, ...]:
    """The frameworks that ship with the tool, sorted by name, with the entries of all releases.

    With `roots`, the modules that the target imports (whole or their first names), only those
    that it may use: a scan need not read the data of SDKs that no file imports. Raises
    FrameworkError for a data file that is not valid.
    """
    return tuple(_file(file) for file in _wanted(roots))


def _wanted(roots: Collection[str] | None) -> list[Path]:
    if roots is None:
        return list(_files())
    below = {start for name in roots for start in _starts(name)}
    return [f for f in _files() if any(_is_wanted(m, roots, below) for m in _header(f)["modules"])]


def _is_wanted(module: str, roots: Collection[str], below: Collection[str]) -> bool:
    """Whether "google.adk" is one of "google", "google.adk" and "google.adk.agents"."""
    return module in below or any(start in roots for start in _starts(module))


@lru_cache(maxsize=4096)
def _starts(name: str) -> tuple[str, ...]:
    """The dotted name and all that it starts with: "a.b" is in "a"."""
    return (*[name[:index] for index, char in enumerate(name) if char == "."], name)


@cache
def _files() -> tuple[Path, ...]:
    return tuple(sorted(Path(__file__).with_name("data").glob("*.toml"), key=lambda f: f.stem))


def _header(file: Path) -> Header:
    """What stands before the first table: a hundredth of the cost of reading the whole file."""
    known = _READ.headers.get(file.stem)
    if known is None:
        text = re.split(r"^\[", file.read_text("utf-8"), maxsplit=1, flags=re.M)[0]
        known = _READ.headers[file.stem] = tomllib.loads(text)
    return known


def _file(file: Path) -> Framework:
    known = _READ.frameworks.get(file.stem)
    if known is None:
        known = _READ.frameworks[file.stem] = read(file.read_text("utf-8"), file.name)
    return known


def read(text: str, where: str) -> Framework:
    """The framework that a data file's text describes; `where` names the file in errors.

    Raises FrameworkError.
    """
    try:
        return from_mapping(tomllib.loads(text), where)
    except tomllib.TOMLDecodeError as error:
        raise FrameworkError(f"{where}: {error}") from error


def from_mapping(data: Mapping[str, Any], where: str) -> Framework:
    """The framework that parsed data describes, its shapes and names filled in.

    Raises FrameworkError.
    """
    try:
        framework = msgspec.convert(fill(data), Framework)
    except (msgspec.ValidationError, ShapeError) as error:
        raise FrameworkError(f"{where}: {error}") from error
    _check_versions(framework, where)
    return with_aliases(framework)


def for_version(framework: Framework, version: str | None) -> Framework:
    """The framework with only the entries that hold for a release; None is the newest one.

    `removed` and `moved` keep what is gone in that release. A version that is none (an odd pin)
    counts as the newest.
    """
    release = _release(version) or Version(framework.latest)
    kept = {kind: _holding(getattr(framework, kind), release) for kind in KINDS}
    removed = tuple(gone for gone in framework.removed if _is_gone(gone, release))
    moved = tuple(gone for gone in framework.moved if _is_gone(gone, release))
    return msgspec.structs.replace(framework, **kept, removed=removed, moved=moved)


@cache
def distributions() -> dict[str, str]:
    """The newest release known of every distribution that the data files name, by its name."""
    headers = [_header(file) for file in _files()]
    return {name: header["latest"] for header in headers for name in header["distributions"]}


def pinned(framework: Framework, pins: Mapping[str, str | None]) -> str | None:
    """The release of a framework under some pins; None where they leave it at the newest."""
    return next((pins[name] for name in framework.distributions if name in pins), None)


def header(name: str) -> Header | None:
    """What the data that ships says of an SDK itself, by its name; None for an unknown one."""
    return next((_header(file) for file in _files() if file.stem == name), None)


def shipped(name: str, pins: Mapping[str, str | None]) -> Framework | None:
    """The framework of that name that ships, narrowed to the release that `pins` give it."""
    file = next((file for file in _files() if file.stem == name), None)
    return _narrowed(file, pinned(_file(file), pins)) if file else None


def select(
    pins: Mapping[str, str | None], roots: Collection[str] | None = None
) -> tuple[Framework, ...]:
    """The frameworks of `load(roots)`, each narrowed to the release that `pins` give it."""
    return tuple(_narrowed(file, pinned(_file(file), pins)) for file in _wanted(roots))


@lru_cache(maxsize=256)
def _narrowed(file: Path, release: str | None) -> Framework:
    return for_version(_file(file), release)


def _holding(entries: tuple[E, ...], release: Version) -> tuple[E, ...]:
    return tuple(e for e in entries if not e.versions or _specifier(e.versions).contains(release))


def _is_gone(gone: Removed | Moved, release: Version) -> bool:
    return release >= Version(gone.since) and bool(_holding((gone,), release))


@cache
def _specifier(versions: str) -> SpecifierSet:
    return SpecifierSet(versions, prereleases=True)


@cache
def _release(version: str | None) -> Version | None:
    try:
        return Version(version) if version else None
    except InvalidVersion:
        return None


def _check_versions(framework: Framework, where: str) -> None:
    """A specifier or release that is none would fail later, far from its file."""
    for path, text, made in _versions_in(framework):
        try:
            made(text)
        except (InvalidSpecifier, InvalidVersion) as error:
            raise FrameworkError(f"{where}: {error} - at `$.{path}`") from error


def _versions_in(framework: Framework) -> Iterable[tuple[str, str, type[SpecifierSet | Version]]]:
    yield "latest", framework.latest, Version
    for kind in (*KINDS, "removed", "moved"):
        for index, entry in enumerate(getattr(framework, kind)):
            if entry.versions:
                yield f"{kind}[{index}].versions", entry.versions, SpecifierSet
            if isinstance(entry, Removed | Moved):
                yield f"{kind}[{index}].since", entry.since, Version
