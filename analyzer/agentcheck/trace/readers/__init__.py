"""The trace formats that are known. A new one is a module with a `Format`, added to FORMATS."""

from __future__ import annotations

from agentcheck.trace.readers.agents_sdk import AGENTS_SDK
from agentcheck.trace.readers.base import Fit, Format
from agentcheck.trace.readers.chat import CHAT
from agentcheck.trace.readers.otlp import OTLP
from agentcheck.trace.readers.steps import STEPS
from agentcheck.trace.readers.transcript import TRANSCRIPT

__all__ = ["FORMATS", "Fit", "Format"]

# Of formats that fit equally well the first is taken: the more particular ones come first.
FORMATS: tuple[Format, ...] = (OTLP, AGENTS_SDK, STEPS, CHAT, TRANSCRIPT)
