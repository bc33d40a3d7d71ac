"""The numbers of a fleet in each of their formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentcheck.model.fleet import Fleet
from agentcheck.report.options import Options
from agentcheck.report.renderers import Renderers, renderer_of

_RENDERERS: Renderers = {
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
    renderer: Callable[[Fleet, Options], str] = renderer_of(_RENDERERS, form, "a fleet")
    return renderer(fleet, Options(**options))
