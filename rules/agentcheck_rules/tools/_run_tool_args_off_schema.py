"""Tool calls whose arguments do not fit the schema that the model was given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.rule import (
    Assessment,
    Outline,
    Run,
    RunStart,
    ToolCall,
    TraceSettings,
    Usual,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
)


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Did every call have the arguments that its tool's schema requires, and no others?

    Names are judged, and values against an `enum`; types are not, for SDKs convert them.
    """
    lacking = run_lacks(run, run.name, "schema") or run_lacks(run, run.name, "content")
    if lacking is not None:
        yield lacking
        return
    schemas = {name: s for head in run.all(RunStart) for name, s in head.tools.items()}
    calls = [c for c in run.all(ToolCall) if c.name in schemas and c.arguments is not None]
    off = {c.name: (c, why) for c in calls if (why := _off(c.arguments or {}, schemas[c.name]))}
    yield from (_hit(call, why) for call, why in off.values())
    if not calls:
        why = "No call of a tool whose parameters are known."
        yield run_not_applicable(run, run.name, why)
    elif not off:
        why = f"The arguments of {len(calls)} calls fit the tools' parameters."
        yield run_met(run, run.name, why, calls)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """The tools' parameters are not recorded."""
    known = "schema" in outline.known and "content" in outline.known
    return None if known else outline.unclear()


def _off(arguments: dict[str, Any], schema: Any) -> str:
    """How arguments miss a schema; "" where they fit, or the schema is of another kind."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return ""
    required = schema.get("required")
    names = [n for n in required if isinstance(n, str)] if isinstance(required, list) else []
    missing = [name for name in names if name not in arguments]
    if missing:
        return f"{', '.join(missing)} is missing"
    strange = sorted(set(arguments) - set(properties))
    if strange and schema.get("additionalProperties") is False:
        return f"{', '.join(strange)} is no parameter"
    return _off_enum(arguments, properties)


def _off_enum(arguments: dict[str, Any], properties: dict[str, Any]) -> str:
    for name, value in arguments.items():
        spec = properties.get(name)
        allowed = spec.get("enum") if isinstance(spec, dict) else None
        if isinstance(allowed, list) and isinstance(value, str) and value not in allowed:
            return f"{name} is none of the allowed values"
    return ""


def _hit(call: ToolCall, why: str) -> Assessment:
    return run_hit(
        call.name,
        f"{call.name} was called with arguments off its schema: {why}.",
        [(call, f"Off the tool's parameters: {why}.")],
        owner=f"the dispatcher that runs {call.name}",
        path=(
            f"the model is given the parameters of {call.name}",
            f"it calls the tool with others: {why}",
            "the call reaches the function as it is",
        ),
        looked_for=("a schema that allows further names",),
    )
