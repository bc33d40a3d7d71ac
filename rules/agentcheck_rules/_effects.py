"""Which tools change the world: those the settings name, or those whose names say so."""

from __future__ import annotations

from functools import lru_cache

from agentcheck.rule import TraceSettings, acts_anew_by_name, acts_by_name

_acts = lru_cache(4096)(acts_by_name)
_acts_anew = lru_cache(4096)(acts_anew_by_name)


def acts(name: str, settings: TraceSettings) -> bool:
    """Whether a tool changes the world."""
    if settings.side_effecting is not None:
        return name in settings.side_effecting
    return _acts(name)


def acts_anew(name: str, settings: TraceSettings) -> bool:
    """Whether each further call of a tool changes the world once more."""
    if settings.side_effecting is not None:
        return name in settings.side_effecting
    return _acts_anew(name)


def basis(name: str, settings: TraceSettings) -> str:
    """How it is known that a tool changes the world."""
    if settings.side_effecting is not None:
        return f"the settings name {name} as a tool that changes the world"
    return f"by its name, {name} changes the world"
