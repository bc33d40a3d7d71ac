"""Which tools change the world: those the settings name, or those whose names say so."""

from __future__ import annotations

from agentcheck.rule import TraceSettings, acts_anew_by_name, acts_by_name


def acts(name: str, settings: TraceSettings) -> bool:
    """Whether a tool changes the world."""
    if settings.side_effecting is not None:
        return name in settings.side_effecting
    return acts_by_name(name)


def acts_anew(name: str, settings: TraceSettings) -> bool:
    """Whether each further call of a tool changes the world once more."""
    if settings.side_effecting is not None:
        return name in settings.side_effecting
    return acts_anew_by_name(name)


def basis(name: str, settings: TraceSettings) -> str:
    """How it is known that a tool changes the world."""
    if settings.side_effecting is not None:
        return f"the settings name {name} as a tool that changes the world"
    return f"by its name, {name} changes the world"
