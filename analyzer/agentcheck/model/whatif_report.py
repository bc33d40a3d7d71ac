"""The document of answers to "what if" (schema `agentcheck/what-if/1`)."""

from __future__ import annotations

from msgspec import Struct

from agentcheck.model.report import Skipped, Tool
from agentcheck.model.whatif import Answer

SCHEMA = "agentcheck/what-if/1"


class WhatIf(Struct, frozen=True, kw_only=True):
    """The answers of one call of the command: the contract of its output formats."""

    schema: str = SCHEMA
    tool: Tool
    traces: tuple[str, ...]
    runs: int
    answers: tuple[Answer, ...]
    skipped: tuple[Skipped, ...] = ()
