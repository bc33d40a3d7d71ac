"""Messages of LangChain -> the events of a run.

A tool that hands over control answers "Successfully transferred to NAME": so write the prebuilt
swarm and supervisor of LangGraph.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentcheck.model.event import FieldGroup, Run, Source, ToolCall
from agentcheck.model.pattern import lazy_re
from agentcheck.trace.readers.langchain_message import Normal
from agentcheck.trace.readers.messages_replay import KNOWN, MessagesReplay
from agentcheck.trace.texts import text_of

_HANDED = lazy_re(r"Successfully transferred (?:back )?to ([^\n.]{1,80})\.?")


class LangChainReplay(MessagesReplay):
    """The run that messages tell. The record of an event is its message's index."""

    __slots__ = ("_next",)

    def __init__(self, file: str, run: int, known: Iterable[FieldGroup] = KNOWN) -> None:
        super().__init__(file, run, known)
        self._next = 0

    def feed(self, message: Normal | None) -> None:
        """The next message; what is none is counted as unknown."""
        if message is None:
            self.unknown += 1
        else:
            self.tell(self._next, message)
        self._next += 1

    def answered(self, source: Source, call: ToolCall | None, message: Normal) -> None:
        """A result that tells of a handoff."""
        found = _HANDED.fullmatch(text_of(message["content"]).strip())
        if found is not None and not message.get("failed"):
            self.known.add("handoffs")
            self.handoff(source, found[1], call, accepted=True)

    def whole(self, run_id: str, form: str) -> Run:
        """The run, at its end."""
        self.close()
        self.start(self.source(0))
        return self.finish(run_id, form)
