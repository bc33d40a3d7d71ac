"""Whether two results of a run differ, and where."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Iterator, Mapping

from agentcheck.acceptance.scripted import ScriptedModel

DEEPEST = 12
ABSENT = object()


def differences(one: object, *others: object) -> list[str]:
    """Where a result differs from all the others, which agree there among themselves.

    The others are runs that should be alike: what differs between them (ids, times) says nothing.
    Each place is a path, for example `[3]['response'].stop_reason`.
    """
    mine = dict(_leaves(one, "", {}))
    first, *rest = [dict(_leaves(other, "", {})) for other in others]
    paths = dict.fromkeys([*mine, *first])
    steady = [path for path in paths if all(_same(path, first, other) for other in rest)]
    return [path for path in steady if not _same(path, mine, first)]


def alike(one: str, other: str) -> bool:
    """Whether two texts say the same but for numbers and ids."""
    return _without_ids(one) == _without_ids(other)


def _without_ids(text: str) -> str:
    return re.sub(r"[0-9a-f-]*\d[0-9a-f-]*", "#", text)


def _same(path: str, one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return one.get(path, ABSENT) == other.get(path, ABSENT)


def _leaves(value: object, path: str, seen: dict[int, object]) -> Iterator[tuple[str, object]]:
    """Every plain value inside a result, with its path; each object once, none below DEEPEST."""
    if value is None or isinstance(value, str | int | float | bytes):
        yield path, value
        return
    if id(value) in seen or len(re.findall(r"[\[.]", path)) > DEEPEST:
        return
    seen[id(value)] = value
    for step, inner in _inside(value):
        yield from _leaves(inner, f"{path}{step}", seen)


def _inside(value: object) -> Iterator[tuple[str, object]]:
    """What a value holds. The scripted model holds the script, which is no part of a result."""
    if isinstance(value, ScriptedModel) or callable(value):
        return
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", inner) for key, inner in value.items())
    elif isinstance(value, list | tuple):
        yield from ((f"[{index}]", inner) for index, inner in enumerate(value))
    else:
        yield from _attributes(value)


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    for name in [*getattr(value, "__dict__", ()), *_computed(type(value))]:
        with contextlib.suppress(Exception):
            yield f".{name}", getattr(value, name)


def _computed(kind: type) -> list[str]:
    """The properties and slots of a class, but those that every pydantic model has."""
    own = [base for base in kind.__mro__ if not base.__module__.startswith("pydantic")]
    members = [member for base in own for member in vars(base).items()]
    shown = [(name, member) for name, member in members if not name.startswith("__")]
    return [name for name, member in shown if inspect.isdatadescriptor(member)]
