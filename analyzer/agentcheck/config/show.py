"""The resolved settings of a run as TOML, each with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from agentcheck.config import ADDED, Layer, settings_of
from agentcheck.config.keys import Table
from agentcheck.config.reference import toml
from agentcheck.config.settings import Settings
from agentcheck.config.table import ConfigTable, ProfileTable, TraceTable
from agentcheck.config.whatif_table import WHAT_IF
from agentcheck.model.whatif_settings import WhatIfSettings

_TABLES = ("profile", "trace", "frameworks", "what_if")
_PLAIN = [key for key in ConfigTable.model_fields if key not in _TABLES]
_INNER = {*WHAT_IF, "trace.formats"}
"""Keys of tables that are tables themselves."""


def settings_text(found: Sequence[Layer]) -> str:
    """Every setting that the layers make, in a form that a configuration file may have.

    What has no value is a comment. Raises UsageError as `settings_of` does.
    """
    settings = settings_of(list(found))
    where = settings.source or "none"
    lines = [f"# Configuration file: {where}", ""]
    lines += [_line(_kebab(k), _value(settings, k), _origin(found, k)) for k in _PLAIN]
    own = [framework.name for framework in settings.frameworks]
    lines += ["", "[frameworks]", *_own(own, "frameworks", found, "the data that ships")]
    lines += ["", "[profile]", *_table("profile", ProfileTable, dict(settings.profile), found)]
    traced = msgspec.structs.asdict(settings.trace)
    traced["side_effecting_tools"] = traced.pop("side_effecting")
    lines += ["", "[trace]", *_table("trace", TraceTable, traced, found)]
    forms = [mapping.name for mapping in settings.formats]
    lines += ["", "[trace.formats]", *_own(forms, "trace.formats", found, "those that ship")]
    lines += _what_if(settings.what_if, found)
    return "\n".join(lines) + "\n"


def _what_if(settings: WhatIfSettings, found: Sequence[Layer]) -> Iterator[str]:
    """The tables of `[what-if]`, of which each question has its own."""
    values: dict[str, Any] = msgspec.to_builtins(settings)
    values |= {"model": settings.cache.model, "search": settings.cache.search}
    for path, keys in WHAT_IF.items():
        _, *within = path.split(".")
        inner = values
        for name in within:
            inner = inner[name]
        yield from ("", f"[{path}]", *_table(path, keys, inner, found))


def _value(settings: Settings, key: str) -> Any:
    if key == "per_file_ignores":
        return {entry.pattern: entry.rules for entry in settings.per_file_ignores}
    return getattr(settings, key)


def _origin(found: Sequence[Layer], key: str) -> str:
    """Where a key was set: the last place, or all where each adds to the one before."""
    name = _kebab(key)
    setters = [_named(layer, name) for layer in found if name in layer.table]
    return " and ".join(setters if key in ADDED else setters[-1:]) or "default"


def _named(layer: Layer, key: str) -> str:
    return f"--{key}" if layer.origin == "--" else layer.origin


def _table(
    path: str, keys: type[Table], values: dict[str, Any], found: Sequence[Layer]
) -> Iterator[str]:
    """The lines of a table; the last layer that has it replaces it whole. Tables in it are not
    among them."""
    name, *within = path.split(".")
    holders = [layer for layer in found if name in layer.table]
    said = holders[-1].table[name] if holders else {}
    for inner in within:
        said = said.get(inner, {})
    for key in keys.model_fields:
        if f"{path}.{_kebab(key)}" not in _INNER:
            origin = _named(holders[-1], name) if _kebab(key) in said else "default"
            yield _line(_kebab(key), values.get(key), origin)


def _own(names: Sequence[str], path: str, found: Sequence[Layer], beyond: str) -> Iterator[str]:
    """The lines of tables that the user wrote himself, as he wrote them."""
    top, *inner = path.split(".")
    holders = [layer for layer in found if top in layer.table]
    for name in names:
        table = holders[-1].table[top]
        for key in inner:
            table = table[key]
        yield _line(toml(name), table[name], _named(holders[-1], top))
    if not names:
        yield f"# nothing beyond {beyond}"


def _line(key: str, value: Any, origin: str) -> str:
    if value is None:
        return f"# {key} is not set"
    return f"{key} = {toml(value)}  # {_shown(origin)}"


def _shown(origin: str) -> str:
    """A file's name may hold what would end the comment."""
    return "".join(char if char.isprintable() else "?" for char in origin)


def _kebab(name: str) -> str:
    return name.replace("_", "-")
