"""What the result of a run holds, and where two results differ."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping

from agentcheck.testing.model import ScriptedModel
from agentcheck.testing.words import words_of

DEEPEST = 12
SDKS = frozenset({"openai", "anthropic", "google", "httpx", "httpx2", "litellm"})
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


def drift(plain: object, streamed: object) -> list[str] | None:
    """Where the result of a stream says something else than that of the plain run, in words.

    The stream's result is the last of its items, or what an item holds, that is of the same type.
    Compared are texts that both have; ids aside. None where the stream holds no such result.
    """
    last = _of_type(streamed, type(plain))
    if last is None:
        return None
    one, other = dict(_leaves(plain, "", {})), dict(_leaves(last, "", {}))
    both = [p for p in one if isinstance(one[p], str) and isinstance(other.get(p), str)]
    return [
        f"{path} is {other[path]!r}, in the plain run {one[path]!r}"
        for path in both
        if one[path] and other[path] and not alike(str(one[path]), str(other[path]))
    ]


def holds(value: object, text: str) -> bool:
    """Whether a text occurs anywhere in a result, or in what an error carries of its own.

    What an error of an SDK carries is what was sent, which the caller cannot go on with.
    """
    if isinstance(value, BaseException) and _package(value) in SDKS:
        return False
    inside = [value, *value.args] if isinstance(value, BaseException) else [value]
    leaves = (leaf for one in inside for _, leaf in _leaves(one, "", {}))
    return any(isinstance(leaf, str) and text in leaf for leaf in leaves)


def numbers(value: object) -> set[float]:
    """Every number in a result."""
    found = (leaf for _, leaf in _leaves(value, "", {}))
    return {n for n in found if isinstance(n, int | float) and not isinstance(n, bool)}


def mentions(value: object, words: Iterable[str]) -> bool:
    """Whether a result says one of the words: in a text, or by the name of a field that is true."""
    wanted = set(words)
    for path, leaf in _leaves(value, "", {}):
        name = re.findall(r"\w+", path)[-1:] if leaf is True else []
        said = words_of(leaf) if isinstance(leaf, str) else words_of(" ".join(name))
        if wanted & said:
            return True
    return False


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


def _of_type(value: object, kind: type) -> object | None:
    """The last object of a type in a list of items, itself an item or a value of one."""
    items = value if isinstance(value, list) else []
    inner = (v for item in items for v in [item, *(item.values() if _is_map(item) else ())])
    return next((v for v in reversed(list(inner)) if type(v) is kind), None)


def _is_map(value: object) -> bool:
    return isinstance(value, Mapping)


def _package(value: object) -> str:
    return type(value).__module__.partition(".")[0]


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
