"""`[trace.formats.<name>]`: a user's own log, checked and made a mapping."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, WithJsonSchema, create_model, model_validator
from pydantic_core import PydanticCustomError

from agentcheck.config.keys import Table, kebab, says
from agentcheck.config.nearest import suggestion
from agentcheck.model.errors import UsageError
from agentcheck.model.pattern import lazy_re
from agentcheck.trace.mapped.mapping import KINDS, POINTERS, STATES, STATUSES, Mapping
from agentcheck.trace.mapped.pointers import parse

_NAME = lazy_re(r"\w[\w .-]{0,60}")
_FINISHES = ("stop", "length", "content_filter", "tool_call", "error")
_TEXT = {"type": "string"}
_POINTER = 'expected a JSON pointer, such as "/data/text"'


def _error(message: str) -> PydanticCustomError:
    return PydanticCustomError("format", "{told}", {"told": message})


def _pointer(given: Any) -> tuple[str, ...]:
    if not isinstance(given, str):
        raise _error(_POINTER)
    try:
        return parse(given)
    except ValueError as error:
        raise _error(str(error)) from None


def _pointers(given: Any) -> tuple[tuple[str, ...], ...]:
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list) or not listed:
        raise _error(f"{_POINTER}, or a list of them")
    return tuple(map(_pointer, listed))


def _words(known: Iterable[str]) -> BeforeValidator:
    """Checks a table that explains values by some words."""
    words = tuple(known)

    def check(given: Any) -> Any:
        if not isinstance(given, dict):
            raise _error("expected a table of the log's values")
        for value, word in given.items():
            if word not in words:
                raise _error(f'"{value}" cannot mean "{word}"; {suggestion(str(word), words)}')
        return given

    return BeforeValidator(check)


def _schema(known: Iterable[str]) -> WithJsonSchema:
    words = {"type": "string", "enum": list(known)}
    return WithJsonSchema({"type": "object", "additionalProperties": words})


Pointer = Annotated[tuple[str, ...], BeforeValidator(_pointer), WithJsonSchema(_TEXT)]
Pointers = Annotated[
    tuple[tuple[str, ...], ...],
    BeforeValidator(_pointers),
    WithJsonSchema({"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}),
]
Kinds = Annotated[dict[str, str], _words(KINDS), _schema(KINDS)]
Finishes = Annotated[dict[str, str], _words(_FINISHES), _schema(_FINISHES)]
Statuses = Annotated[dict[str, str], _words(STATUSES), _schema(STATUSES)]
States = Annotated[dict[str, str], _words(STATES), _schema(STATES)]
Values = tuple[str | bool | int | float, ...]


class _Described(Table):
    """A log of your own form: where things stand in its records, and what its values mean."""

    steps: Pointer | None = says(
        "The list of steps in a record that is a whole run; `run`, `workflow`, `task`, `answer`, "
        "`status`, `tools` and `system` then start at the run, all else at a step. Left out, each "
        "record is one event."
    )
    kinds: Kinds = says("What the values at `kind` mean.", {})
    finish_reasons: Finishes = says(
        "What the values at `finish` mean, where they are no provider's.", {}
    )
    statuses: Statuses = says(
        "What the values at `status` mean, where the usual words do not say it.", {}
    )
    approvals: States = says(
        "What the values at `approval` mean, where the usual words do not say it.", {}
    )
    error_values: Values = says("The values at `error` that mean one.", ())
    triggered_values: Values = says("The values at `triggered` that mean so.", ())
    duration_unit: Literal["seconds", "milliseconds"] = says(
        "What the numbers at `duration` count.", "seconds"
    )

    @model_validator(mode="after")
    def _whole(self) -> _Described:
        at = _at(self)
        if ("kind" in at) != bool(self.kinds):
            has, lacks = ("kind", "kinds") if "kind" in at else ("kinds", "kind")
            raise _error(f"`{has}` needs `{lacks}` beside it")
        if "kind" not in at and not at.keys() & {"text", "tool", "calls"}:
            raise _error("name at least `kind` and `kinds`, or `text` or `tool` of a step")
        mapping = Mapping(name="", at=at)
        for value, kind in self.kinds.items():
            lacking = mapping.needs(kind)
            if lacking is not None:
                raise _error(f'kinds: "{value}" means {kind}, which needs `{lacking}`')
        return self


_FIELDS: dict[str, Any] = {
    key.replace("-", "_"): (Pointers | None, says(text)) for key, text in POINTERS.items()
}
FormatTable: Any = create_model("FormatTable", __base__=_Described, **_FIELDS)
FormatTable.__doc__ = _Described.__doc__


def _at(table: Any) -> dict[str, tuple[tuple[str, ...], ...]]:
    """The pointers that a table gives."""
    fields = ((key, getattr(table, key.replace("-", "_"), None)) for key in POINTERS)
    return {key: value for key, value in fields if value is not None}


def mappings_of(tables: dict[str, Any], where: str) -> tuple[Mapping, ...]:
    """The mappings that tables describe. Raises UsageError for a name that cannot be one."""
    from agentcheck.trace.readers import NAMED

    taken = {*NAMED, *(form.name for form in NAMED.values())}
    for name in tables:
        if name in taken:
            raise UsageError(f'{where}trace.formats: "{name}" is a format that ships; rename yours')
        if not _NAME.fullmatch(name):
            raise UsageError(f'{where}trace.formats: "{name}" is no name; use letters and digits')
    return tuple(_mapping(name, table) for name, table in tables.items())


def _mapping(name: str, table: Any) -> Mapping:
    return Mapping(
        name=name,
        at=_at(table),
        steps=table.steps,
        kinds=table.kinds,
        finish_reasons=table.finish_reasons,
        statuses=table.statuses,
        approvals=table.approvals,
        error_values=table.error_values,
        triggered_values=table.triggered_values,
        seconds=0.001 if table.duration_unit == "milliseconds" else 1.0,
    )


def format_keys() -> list[str]:
    """The keys that a table may have."""
    return [kebab(name) for name in FormatTable.model_fields]
