"""A list of targets as text -> targets, or what is wrong with each line that names none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from glob import glob, has_magic
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from agentcheck.fleet.address import AddressError, parsed
from agentcheck.source.discover import SUFFIXES

Kind = Literal["folder", "git", "traces"]


class Target(Struct, frozen=True):
    """One thing to look at.

    `name` is its name in the store and in reports: an absolute path, or an address without the
    password that it may hold. `where` is the path or the address itself, `ref` a branch or tag.
    """

    name: str
    kind: Kind
    where: str
    ref: str = ""


class Line(NamedTuple):
    """A line that names targets: where it stands, its text, and the folder that paths start at."""

    place: str
    text: str
    folder: Path


class Wrong(Exception):  # noqa: N818 - told to the user as it is
    """A line names no target; the message says why, and how to mend it."""


def lines_of(text: str, called: str, folder: Path) -> Iterator[Line]:
    """The lines of a list that say something: no comments, which begin with # after a blank."""
    for number, line in enumerate(text.splitlines(), 1):
        said = f" {line}".partition(" #")[0].strip()
        if said:
            yield Line(f"{called}:{number}", said, folder)


def targets_of(lines: Iterable[Line], *, here: bool = True) -> tuple[list[Target], list[str]]:
    """The targets of all lines, each once, and one sentence for every line that is wrong.

    `here` says that paths are looked up on this machine; else one that is not there is left to
    the machine that will look for it.
    """
    found: dict[str, Target] = {}
    wrong: list[str] = []
    for line in lines:
        try:
            for target in _named(line, here=here):
                found.setdefault(target.name, target)
        except (Wrong, AddressError) as error:
            wrong.append(f"{line.place}: {error}")
    return list(found.values()), wrong


def _named(line: Line, *, here: bool) -> Iterator[Target]:
    address = parsed(line.text)
    if address is not None:
        yield Target(address.shown, "git", address.where, address.ref)
        return
    path = os.path.abspath(line.folder / Path(line.text).expanduser())  # noqa: PTH100 - keeps links
    if os.path.lexists(path) or not has_magic(line.text):
        yield _at(path, line.text, here=here)
        return
    matches = sorted(glob(path, recursive=True))  # noqa: PTH207 - patterns may be absolute
    if not matches:
        raise Wrong(f'no file or folder matches "{line.text}"; check the pattern')
    for match in matches:
        yield _at(match, match, here=True)


def _at(path: str, said: str, *, here: bool) -> Target:
    """The target at a path. Raises Wrong where there is none, or one that cannot be read."""
    if here and not os.path.exists(path):  # noqa: PTH110
        raise Wrong(f"{said}: no such file or folder; check the path, or take the line out")
    if here and not os.access(path, os.R_OK):
        raise Wrong(f"{said}: permission denied")
    if not _is_text(path):
        raise Wrong(f"{said!a}: a name that is no UTF-8; rename it, or scan it by itself")
    is_code = os.path.isdir(path) or path.endswith(SUFFIXES)  # noqa: PTH112
    if not here and not os.path.exists(path):  # noqa: PTH110
        is_code = not Path(path).suffix or path.endswith(SUFFIXES)
    return Target(path, "folder" if is_code else "traces", path)


def _is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
