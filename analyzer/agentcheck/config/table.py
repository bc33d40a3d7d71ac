"""The configuration as a user writes it: the keys of `[tool.agentcheck]`, checked by pydantic.

Only this module imports pydantic, and it is imported only where there is something to check.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentcheck.config.nearest import suggestion
from agentcheck.config.settings import FileIgnore
from agentcheck.model.card import Confidence, Persona, Severity
from agentcheck.model.errors import UsageError
from agentcheck.trace.settings import TraceSettings

SHAPES = {
    "tuple_type": 'expected a list, for example ["AC101"]',
    "frozen_set_type": 'expected a list of names, for example ["send_mail"]',
    "string_type": "expected a string",
    "int_type": "expected a whole number",
    "dict_type": "expected a table",
    "model_type": "expected a table",
    "model_attributes_type": "expected a table",
}


def _kebab(name: str) -> str:
    return name.replace("_", "-")


class _Table(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=_kebab, hide_input_in_errors=True
    )


Rules = Annotated[tuple[str, ...], Field(description="codes, prefixes, names, families or ALL")]
Positive = Annotated[int, Field(ge=1, strict=True)]


class ProfileTable(_Table):
    """`[profile]`: what the code is, where the inferred answer is wrong."""

    side_effects: Literal["real", "reversible", "none"] | None = None
    interaction: Literal["interactive", "unattended", "both", "unknown"] | None = None
    form: Literal["library", "app", "example", "mixed"] | None = None
    tenancy: Literal["single", "many"] | None = None


class TraceTable(_Table):
    """`[trace]`: what the checks of recorded runs are told; see `trace.settings.TraceSettings`."""

    side_effecting_tools: frozenset[str] | None = None
    max_turns: Positive = 25
    min_repeats: Positive = 3


class ConfigTable(_Table):
    """The whole configuration; a key that is left out keeps the tool's default."""

    select: Rules = ("ALL",)
    extend_select: Rules = ()
    ignore: Rules = ()
    per_file_ignores: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    min_severity: Severity = "info"
    min_confidence: Confidence = "low"
    persona: Persona = "regular"
    fail_on: Severity = "info"
    baseline: str | None = None
    profile: ProfileTable = ProfileTable()
    trace: TraceTable = TraceTable()


def check_table(table: dict[str, Any], where: str) -> ConfigTable:
    """The table, checked. Raises UsageError with one line that starts with `where` and the key."""
    try:
        return ConfigTable.model_validate(table)
    except ValidationError as error:
        raise UsageError(f"{where}{_explain(error)}") from None


def parsed(table: ConfigTable, folder: Path) -> dict[str, Any]:
    """What the table says, under the field names of Settings; what it leaves out is left out."""
    said = {name: getattr(table, name) for name in table.model_fields_set}
    if "per_file_ignores" in said:
        pairs = table.per_file_ignores.items()
        said["per_file_ignores"] = tuple(FileIgnore(pattern, rules) for pattern, rules in pairs)
    if table.baseline is not None:
        said["baseline"] = str(folder / table.baseline)
    if "profile" in said:
        said["profile"] = table.profile.model_dump(exclude_none=True)
    if "trace" in said:
        said["trace"] = TraceSettings(
            side_effecting=table.trace.side_effecting_tools,
            max_turns=table.trace.max_turns,
            min_repeats=table.trace.min_repeats,
        )
    return said


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"]]
    key, kind = ".".join(path), first["type"]
    if kind == "extra_forbidden":
        return f'unknown key "{key}"; {suggestion(path[-1], _known(path[:-1]))}'
    if kind == "literal_error":
        return f"{key}: expected {first['ctx']['expected']}"
    plain = SHAPES.get(kind) or f"{first['msg'][:1].lower()}{first['msg'][1:]}"
    return f"{key}: {plain}"


def _known(tables: list[str]) -> list[str]:
    """The keys that a table of the configuration may have."""
    inner: dict[str, type[_Table]] = {"profile": ProfileTable, "trace": TraceTable}
    table = inner.get(tables[-1], ConfigTable) if tables else ConfigTable
    return [_kebab(name) for name in table.model_fields]
