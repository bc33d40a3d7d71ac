"""The whole pipeline: files and runs in, one report out.

memory --(the very same was looked at before)---------------> Report

source -> facts -> graph -> rules --+
                                    +-> crosscheck -> findings -> Report
trace  -> replay ---------> rules --+
"""

from __future__ import annotations

from time import perf_counter

from msgspec.structs import replace

from agentcheck.config import Settings
from agentcheck.model.report import Report
from agentcheck.run.memory import Memory
from agentcheck.run.request import Request, Tell, Verify, silent

__all__ = ["Request", "Verify", "run"]


def run(request: Request, settings: Settings, tell: Tell = silent) -> Report:
    """Look at what the request names and report.

    Raises UsageError for what the user must mend: a missing path, no file or no run that could be
    read, a selector that names no rule, a baseline or a file of cases that is none.
    """
    started = perf_counter()
    memory = Memory(request, settings)
    try:
        report = memory.report() or _looked(request, settings, tell, memory)
    finally:
        memory.close()
    seconds = round(perf_counter() - started, 3)
    return replace(report, summary=replace(report.summary, seconds=seconds))


def _looked(request: Request, settings: Settings, tell: Tell, memory: Memory) -> Report:
    """A run that has to look for itself: only it needs rules, parsers and the graph."""
    from agentcheck.run.pipeline import look

    return look(request, settings, tell, memory)
