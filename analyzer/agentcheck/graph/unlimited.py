"""Which values and defaults leave a framework's limit without a bound, by what its data say."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from agentcheck.graph.worth import Limit, Worth, number_worth
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Limit as LimitData


def switches_off(value: Limit, data: LimitData) -> bool:
    """Whether a value means no bound: infinite by itself, or one that the data list as such."""
    if value.worth == "infinite":
        return True
    if value.worth == "none":
        return "None" in data.infinite
    if value.number is not None:
        return any(_same(text, value.number) for text in data.infinite)
    given = value.expr
    return isinstance(given, E.Const) and any(_same(text, given.value) for text in data.infinite)


def default_worth(data: LimitData) -> Worth:
    """What the default is worth; one so large that no run reaches it is none."""
    return "infinite" if data.default == "none" else number_worth(float(data.default))[0]


def _same(text: str, given: object) -> bool:
    """Whether source text is a literal of a value. `False` is not the number 0."""
    with suppress(ValueError, SyntaxError):
        listed = ast.literal_eval(text)
        return bool(listed == given) and isinstance(listed, bool) == isinstance(given, bool)
    return False
