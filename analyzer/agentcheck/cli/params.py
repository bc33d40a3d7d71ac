"""Texts of the command line are taken as they are.

typer has pydantic check each value, texts too, and importing that takes as long as all else before
a command begins. It is left to check what is given and is no text: a number, a path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_TEXTS = (str, list[str])


class _Sparing:
    """Stands in for what typer checks the values of a parameter with; `full` makes that."""

    def __init__(self, full: Callable[[], Any], *, is_text: bool) -> None:
        self._full = full
        self._is_text = is_text

    def __call__(self) -> _Sparing:
        """Itself: it is asked for where a parameter is asked for its checks."""
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value as the command gets it: the same as typer's, with typer's errors."""
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        if self._is_text and isinstance(value, (list, tuple) if many else str):
            return list(value) if many else value
        return self._full().coerce(value, param=param, ctx=ctx)


def sparing(params: list[Any]) -> list[Any]:
    """The parameters of a command, made to take texts, and nothing at all, without typer's checks.

    Those of releases of typer that check without pydantic are left as they are.
    """
    for param in params:
        full = getattr(param, "get_runtime_param", None)
        told = getattr(param, "type_descriptor", None)
        if told is not None and full is not None and not isinstance(full, _Sparing):
            param.get_runtime_param = _Sparing(full, is_text=told.annotation in _TEXTS)
    return params
