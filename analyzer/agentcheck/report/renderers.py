"""Finds the function that writes a format: its module is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, TypeAlias

Renderers: TypeAlias = Mapping[str, tuple[str, str]]
"""By format: a module of `agentcheck.report`, and the function in it."""


def renderer_of(renderers: Renderers, form: str, what: str) -> Any:
    """The function that writes a format of something. Raises ValueError for an unknown format."""
    if form not in renderers:
        raise ValueError(f"no format {form!r} of {what}: choose one of {', '.join(renderers)}")
    module, function = renderers[form]
    return getattr(importlib.import_module(f"agentcheck.report.{module}"), function)
