"""What functions of the target take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agentcheck.testing.words import words_of


def parameters(function: Callable[..., Any]) -> list[str]:
    """The names of what a function, or the constructor of a class, takes by keyword."""
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    named = (one for one in taken if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL))
    return [one.name for one in named if one.name != "self"]


def taken(function: Callable[..., Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the settings that the function takes."""
    return {name: settings[name] for name in parameters(function) if name in settings}


def named(names: Iterable[str], *words: str) -> str | None:
    """The first of the names that has one of the words in it, earlier words first."""
    kept = list(names)
    return next((name for word in words for name in kept if word in name.lower()), None)


def spoken(names: Iterable[str], *words: str) -> str | None:
    """The first of the names one of whose own words is among these."""
    return next((name for name in names if not words_of(name).isdisjoint(words)), None)
