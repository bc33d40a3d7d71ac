"""The numbers of a fleet in each of their formats."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from agentcheck.model.fleet import Fleet
from agentcheck.report.options import Options

_RENDERERS: dict[str, tuple[str, str]] = {
    "full": ("fleet_terminal", "page"),
    "json": ("fleet_json", "document"),
    "html": ("fleet_html", "page"),
}
PRINTED = ("full", "json")
"""The formats of the command; the page is a file of its own, beside what it leads to."""


def render_fleet(fleet: Fleet, form: str, **options: Any) -> str:
    """The numbers in one format, ending in a line end.

    `options` are the fields of Options. Raises ValueError for an unknown form.
    """
    if form not in _RENDERERS:
        raise ValueError(f"no format {form!r} of a fleet: choose one of {', '.join(_RENDERERS)}")
    module, function = _RENDERERS[form]
    renderer: Callable[[Fleet, Options], str] = getattr(
        importlib.import_module(f"agentcheck.report.{module}"), function
    )
    return renderer(fleet, Options(**options))
