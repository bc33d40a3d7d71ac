"""What a user knows of SDKs beyond the data that ships: `[frameworks.<name>]` of a configuration.

A table has the form of a data file. Under the name of an SDK that ships, its entries are added to
those of the data; another name is an SDK of its own, such as a company's wrapper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import msgspec

from agentcheck.frameworks import schema
from agentcheck.frameworks.load import KINDS, FrameworkError, for_version, from_mapping, pinned
from agentcheck.frameworks.load import header as header_of
from agentcheck.frameworks.load import shipped as shipped_named
from agentcheck.frameworks.schema import Framework
from agentcheck.model.pattern import lazy_re

_UNKNOWN = lazy_re(r"Object contains unknown field `(.*?)`(?: - at `\$(.*)`)?", re.DOTALL)
_WRONG = lazy_re(r"(.*) - at `\$(.*)`", re.DOTALL)
_MISSING = lazy_re(r"Object missing required field `(.*?)`(?: - at `\$(.*)`)?", re.DOTALL)
_TYPES: dict[str, type[msgspec.Struct]] = {
    "agent": schema.AgentKind,
    "tool": schema.ToolKind,
    "handoff": schema.HandoffKind,
    "run": schema.RunEntry,
    "client": schema.ClientKind,
    "model_call": schema.ModelCall,
    "approval": schema.Approval,
    "graph": schema.GraphKind,
    "removed": schema.Removed,
    "moved": schema.Moved,
}


def read_additions(tables: Mapping[str, Mapping[str, Any]]) -> tuple[Framework, ...]:
    """What the tables describe, by the names they stand under.

    What describes the SDK itself may be left out: it is that of the SDK that ships, else made of
    the name. Raises FrameworkError with one line that names the key.
    """
    return tuple(_read(name, table) for name, table in tables.items())


def merged(
    known: Iterable[Framework], more: Iterable[Framework], pins: Mapping[str, str | None]
) -> tuple[Framework, ...]:
    """The known frameworks, narrowed to their releases, with the entries of the additions.

    An addition to an SDK that ships brings it in where it is not among the known.
    """
    found = {framework.name: framework for framework in known}
    for addition in more:
        base = found.get(addition.name) or shipped_named(addition.name, pins)
        narrowed = for_version(addition, pinned(base or addition, pins))
        found[addition.name] = narrowed if base is None else _added(base, narrowed)
    return tuple(found.values())


def _added(base: Framework, more: Framework) -> Framework:
    kinds = {
        kind: (*getattr(base, kind), *getattr(more, kind)) for kind in (*KINDS, "removed", "moved")
    }
    modules = tuple(dict.fromkeys((*base.modules, *more.modules)))
    return msgspec.structs.replace(base, modules=modules, **kinds)


def _read(name: str, table: Mapping[str, Any]) -> Framework:
    said = header_of(name) or {
        "title": name,
        "distributions": [],
        "modules": [name.replace("-", "_")],
        "latest": "0",
    }
    kept = {key: said[key] for key in ("title", "distributions", "modules", "latest")}
    try:
        return from_mapping({**kept, **_inside(table), "name": name}, "")
    except FrameworkError as error:
        raise FrameworkError(_explained(name, str(error).removeprefix(": "))) from None


def _inside(table: Mapping[str, Any]) -> dict[str, Any]:
    """The table with its model calls known also where the target itself defines them."""
    calls = table.get("model_call")
    if not isinstance(calls, list):
        return dict(table)
    told = [{"inside": True, **call} if isinstance(call, dict) else call for call in calls]
    return {**table, "model_call": told}


def _explained(name: str, message: str) -> str:
    """`frameworks.acme.agent[0]: unknown key "nmes"; did you mean "names"?`."""
    unknown, missing = _UNKNOWN.fullmatch(message), _MISSING.fullmatch(message)
    if unknown:
        key, path = unknown[1], unknown[2] or ""
        return f'frameworks.{name}{path}: unknown key "{key}"; {_hint(key, path)}'
    if missing:
        return f'frameworks.{name}{missing[2] or ""}: the key "{missing[1]}" is missing'
    wrong = _WRONG.fullmatch(message)
    what, path = (wrong[1], wrong[2]) if wrong else (message, "")
    return f"frameworks.{name}{path}: {what[:1].lower()}{what[1:]}"


def _hint(key: str, path: str) -> str:
    keys = [field.name for field in msgspec.structs.fields(_holder(path))]
    near = get_close_matches(key, keys, n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else f"known: {', '.join(sorted(keys))}"


def _holder(path: str) -> type[msgspec.Struct]:
    """The type of what stands at ".agent[0]", ".run[1].limit" or ".tool[0].function"."""
    kind, *inner = re.findall(r"[a-z_]+", path) or [""]
    if inner:
        return schema.Slot if inner[-1] in ("agent", "function") else schema.Limit
    return _TYPES.get(kind, Framework)
