"""Patterns that are compiled when they are first used.

The rules and what they stand on have some three hundred, most of which a scan never comes to;
compiling all of them takes a tenth of what a scan takes after a change of one file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, AnyStr, cast


def lazy_re(text: AnyStr, flags: int | re.RegexFlag = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, later: a text that is no pattern raises re.error where it is first used."""
    return cast("re.Pattern[AnyStr]", _Later(partial(re.compile, text, flags)))


class _Later:
    """Stands for a pattern; what is asked of it once is at hand from then on."""

    def __init__(self, compiled: Callable[[], object]) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked of any object, as by copy
            raise AttributeError(name)
        found = getattr(self._compiled(), name)
        setattr(self, name, found)
        return found
