"""The configuration as a user writes it: the keys of `[tool.agentcheck]`, checked by pydantic.

Only this module and those it is made of import pydantic, and they are imported only where there is
something to check.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from agentcheck.config.formats import FormatTable, format_keys, mappings_of
from agentcheck.config.keys import Amount, Positive, Table, kebab, says
from agentcheck.config.nearest import suggestion
from agentcheck.config.settings import FileIgnore
from agentcheck.config.whatif_table import WHAT_IF, WhatIfTable
from agentcheck.model.card import Confidence, Persona, Severity
from agentcheck.model.errors import UsageError
from agentcheck.trace.settings import TraceSettings

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework

SHAPES = {
    "tuple_type": 'expected a list, for example ["AC101"]',
    "frozen_set_type": 'expected a list of names, for example ["send_mail"]',
    "string_type": "expected a string",
    "int_type": "expected a whole number",
    "float_type": "expected a number",
    "dict_type": "expected a table",
    "model_type": "expected a table",
    "model_attributes_type": "expected a table",
}

Rules = tuple[str, ...]


class ProfileTable(Table):
    """What kind of agent code this is, where the inferred answer is wrong."""

    side_effects: Literal["real", "reversible", "none"] | None = says(
        "Whether what the tools do to the world can be undone."
    )
    interaction: Literal["interactive", "unattended", "both", "unknown"] | None = says(
        "Whether a person watches the runs."
    )
    form: Literal["library", "app", "example", "mixed"] | None = says("What the code is made for.")
    tenancy: Literal["single", "many"] | None = says(
        "Whether one process serves users who must not see each other's data."
    )
    horizon: Literal["run", "session", "lasting", "unknown"] | None = says(
        "How long a conversation is kept: for a run, in memory while a person goes on, or stored."
    )


class TraceTable(Table):
    """What the checks of recorded runs are told; see `trace.settings.TraceSettings`."""

    side_effecting_tools: frozenset[str] | None = says(
        "The tools that change the world; left out, they are told by their names."
    )
    max_turns: Positive = says("The model calls past which a run is a runaway.", 25)
    min_repeats: Positive = says("The equal calls or messages that are a repetition.", 3)
    max_tokens: Positive | None = says("The tokens that one run may use.")
    max_cost_usd: Amount | None = says("The US dollars that one run may cost.")
    max_seconds: Amount | None = says("The seconds that one run may take.")
    max_tool_calls: Positive | None = says("The tool calls that one run may make.")
    context_window: Positive | None = says(
        "The tokens that the model takes, where its name does not tell."
    )
    formats: dict[str, FormatTable] = says(
        "Logs of your own form, by the names that reports and `--format` call them.", {}
    )


class ConfigTable(Table):
    """The whole configuration; a key that is left out keeps the tool's default."""

    select: Rules = says(
        "The rules to ask: codes, prefixes of codes, names, families or ALL.", ("ALL",)
    )
    extend_select: Rules = says("Rules to ask as well as the selected.", ())
    ignore: Rules = says("Rules not to ask. The more exact of two selectors wins.", ())
    per_file_ignores: dict[str, Rules] = says(
        "Rules not to report in files, by gitignore-style pattern.", {}
    )
    exclude: Rules = says("Paths to leave out, as in .gitignore.", ())
    focus: Rules = says(
        "What you want to know about: rules, topics, families or free words. Those findings come "
        "first and are named under what was asked.",
        (),
    )
    min_severity: Severity = says("Findings below are counted, not shown.", "info")
    min_confidence: Confidence = says("Findings that are less sure are counted, not shown.", "low")
    persona: Persona = says(
        "Who reads: regular is shown what can be defended line by line, pedantic and auditor more.",
        "regular",
    )
    fail_on: Severity = says("The lowest severity that makes the exit code 1.", "info")
    baseline: str | None = says(
        "A file of `agentcheck baseline`: findings known there are counted, not shown. Relative to "
        "the configuration file."
    )
    cache_dir: str | None = says(
        "The folder of the cache, instead of the one that the system has for it. Relative to the "
        "configuration file."
    )
    severity: dict[str, Severity] = says(
        "The severity of a rule's findings, by selector, in place of what the rule says.", {}
    )
    rules: dict[str, dict[str, Any]] = says("The options of rules, by their names.", {})
    frameworks: dict[str, dict[str, Any]] = says(
        "What is known of SDKs and wrappers of your own, in the form of the data that ships.", {}
    )
    profile: ProfileTable = says(ProfileTable.__doc__ or "", ProfileTable())
    trace: TraceTable = says("What the checks of recorded runs are told.", TraceTable())
    what_if: WhatIfTable = says("What `agentcheck what-if` computes with.", WhatIfTable())


def check_table(table: dict[str, Any], where: str) -> ConfigTable:
    """The table, checked. Raises UsageError with one line that starts with `where` and the key."""
    try:
        return ConfigTable.model_validate(table)
    except ValidationError as error:
        raise UsageError(f"{where}{_explain(error)}") from None


def parsed(table: ConfigTable, folder: Path, where: str = "") -> dict[str, Any]:
    """What the table says, under the field names of Settings; what it leaves out is left out.

    Raises UsageError for what is no description of an SDK.
    """
    said = {name: getattr(table, name) for name in table.model_fields_set}
    if "per_file_ignores" in said:
        pairs = table.per_file_ignores.items()
        said["per_file_ignores"] = tuple(FileIgnore(pattern, rules) for pattern, rules in pairs)
    if table.baseline is not None:
        said["baseline"] = str(folder / table.baseline)
    if table.cache_dir is not None:
        said["cache_dir"] = str(folder / Path(table.cache_dir).expanduser())
    if "profile" in said:
        said["profile"] = table.profile.model_dump(exclude_none=True)
    if "trace" in said:
        told = table.trace.model_dump(exclude={"formats"})
        said["formats"] = mappings_of(table.trace.formats, where)
        said["trace"] = TraceSettings(side_effecting=told.pop("side_effecting_tools"), **told)
    if "what_if" in said:
        said["what_if"] = table.what_if.settings()
    if "frameworks" in said:
        said["frameworks"] = _frameworks(table.frameworks, where)
    return said


def _frameworks(tables: dict[str, dict[str, Any]], where: str) -> tuple[Framework, ...]:
    from agentcheck.frameworks.additions import read_additions
    from agentcheck.frameworks.load import FrameworkError

    try:
        return read_additions(tables)
    except FrameworkError as error:
        raise UsageError(f"{where}{error}") from None


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
    if tables[:2] == ["trace", "formats"]:
        return format_keys()
    inner: dict[str, type[Table]] = {"profile": ProfileTable, "trace": TraceTable, **WHAT_IF}
    table = inner.get(".".join(tables), ConfigTable)
    return [kebab(name) for name in table.model_fields]
