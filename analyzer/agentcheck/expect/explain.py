"""What is wrong with a file that pydantic checked, in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pydantic import ValidationError

from agentcheck.config.nearest import suggestion

SHAPES = {
    "tuple_type": "expected a list",
    "string_type": "expected a text; put it in quotes",
    "string_too_short": "expected a text that is not empty",
    "int_type": "expected a whole number",
    "float_type": "expected a number",
    "dict_type": "expected a mapping of keys to values",
    "model_type": "expected a mapping of keys to values",
    "model_attributes_type": "expected a mapping of keys to values",
    "missing": "this key is missing; add it",
    "too_short": "expected at least one",
}
Place = list[int | str]


def explain(error: ValidationError, data: object, known: Callable[[Place], Iterable[str]]) -> str:
    """The first error: the path of the key, what is wrong, and the id of the case it is in.

    `known` gives the keys that may stand at a place.
    """
    errors = error.errors(include_url=False)
    # A misspelt key is missing under its right name as well.
    first = min(errors, key=lambda one: one["type"] != "extra_forbidden")
    loc, kind = list(first["loc"]), first["type"]
    if kind == "extra_forbidden":
        told = f"unknown key; {suggestion(str(loc[-1]), known(loc[:-1]))}"
    elif kind == "literal_error":
        told = f"expected {first['ctx']['expected']}"
    else:
        plain = first["msg"].removeprefix("Value error, ")
        told = SHAPES.get(kind) or f"{plain[:1].lower()}{plain[1:]}"
    return f"{_path(loc)}: {told}{_which(loc, data)}"


def _path(loc: Place) -> str:
    """`cases[2].expect.status`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return "".join(parts).lstrip(".") or "the file"


def _which(loc: Place, data: object) -> str:
    """The id of the case that a place is in."""
    if not isinstance(data, dict) or loc[:1] != ["cases"] or len(loc) < 3:
        return ""
    cases, number = data.get("cases"), loc[1]
    case = cases[number] if isinstance(cases, list) and isinstance(number, int) else None
    name = case.get("id") if isinstance(case, dict) else None
    return f' (in the case "{name}")' if isinstance(name, str) else ""
