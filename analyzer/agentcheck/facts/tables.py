"""Every extractor of LibCST's nodes, by the node's type."""

from __future__ import annotations

from agentcheck.facts import (
    compound,
    containers,
    definitions,
    expressions,
    imports,
    simple,
    strings,
)

EXPRESSIONS = {**expressions.TABLE, **containers.TABLE, **strings.TABLE}
STATEMENTS = {**simple.TABLE, **compound.TABLE, **imports.TABLE, **definitions.TABLE}
