"""How the golden cases of a policy came out (schema `agentcheck/policy-check/1`)."""

from __future__ import annotations

from msgspec import Struct

from agentcheck.model.report import Tool
from agentcheck.model.whatif import PolicyCase

SCHEMA = "agentcheck/policy-check/1"


class PolicyCheck(Struct, frozen=True, kw_only=True):
    """The cases in the order of their file: the contract of the output formats."""

    schema: str = SCHEMA
    tool: Tool
    policy: str
    file: str
    cases: tuple[PolicyCase, ...]

    @property
    def failed(self) -> int:
        """How many cases did not come out as expected."""
        return sum(bool(case.missed) for case in self.cases)
