"""The trace formats that are known. A new one is a module with a `Format`, added to FORMATS."""

from __future__ import annotations

from agentcheck.trace.readers.adk import ADK
from agentcheck.trace.readers.agentdojo import AGENTDOJO
from agentcheck.trace.readers.agents_sdk import AGENTS_SDK
from agentcheck.trace.readers.audit_log import AUDIT_LOG
from agentcheck.trace.readers.autogen import AUTOGEN
from agentcheck.trace.readers.autogen_chat import AUTOGEN_CHAT
from agentcheck.trace.readers.base import Fit, Format
from agentcheck.trace.readers.chat import CHAT
from agentcheck.trace.readers.claude_code import CLAUDE_CODE
from agentcheck.trace.readers.codex import CODEX
from agentcheck.trace.readers.crewai_events import CREWAI_EVENTS
from agentcheck.trace.readers.crewai_log import CREWAI_LOG
from agentcheck.trace.readers.inspect_ai import INSPECT
from agentcheck.trace.readers.langchain import LANGCHAIN
from agentcheck.trace.readers.langfuse import LANGFUSE
from agentcheck.trace.readers.langgraph import LANGGRAPH
from agentcheck.trace.readers.langsmith import LANGSMITH
from agentcheck.trace.readers.mini_swe import MINI_SWE
from agentcheck.trace.readers.otlp import OTLP
from agentcheck.trace.readers.pydantic_ai import PYDANTIC_AI
from agentcheck.trace.readers.span_rows import SPAN_ROWS
from agentcheck.trace.readers.steps import STEPS
from agentcheck.trace.readers.swe_agent import SWE_AGENT
from agentcheck.trace.readers.tau import TAU
from agentcheck.trace.readers.transcript import TRANSCRIPT

__all__ = ["FORMATS", "NAMED", "Fit", "Format"]

# Of formats that fit equally well the first is taken: the more particular ones come first.
NAMED: dict[str, Format] = {
    "otlp": OTLP,
    "agents-sdk": AGENTS_SDK,
    "langsmith": LANGSMITH,
    "langfuse": LANGFUSE,
    "span-rows": SPAN_ROWS,
    "langgraph": LANGGRAPH,
    "langchain": LANGCHAIN,
    "pydantic-ai": PYDANTIC_AI,
    "autogen": AUTOGEN,
    "autogen-chat": AUTOGEN_CHAT,
    "claude-code": CLAUDE_CODE,
    "inspect": INSPECT,
    "tau-bench": TAU,
    "agentdojo": AGENTDOJO,
    "mini-swe-agent": MINI_SWE,
    "swe-agent": SWE_AGENT,
    "adk": ADK,
    "audit-log": AUDIT_LOG,
    "crewai-events": CREWAI_EVENTS,
    "crewai-log": CREWAI_LOG,
    "steps": STEPS,
    "chat": CHAT,
    # Its older files hold items that are chat messages too, and then the head decides.
    "codex": CODEX,
    "transcript": TRANSCRIPT,
}
"""The formats by the names that a user calls them."""
FORMATS: tuple[Format, ...] = tuple(NAMED.values())
