"""Which call a result belongs to, in a log that may or may not give ids."""

from __future__ import annotations

from agentcheck.model.event import ToolCall


class Pairs:
    """The calls of a run. Those made in a row, with no result in between, are a group."""

    def __init__(self) -> None:
        self._by_id: dict[str, ToolCall] = {}
        self._by_name: dict[str, ToolCall] = {}
        self._open: dict[str, ToolCall] = {}
        self._group: list[ToolCall] = []
        self._closed = False

    def next_group(self) -> None:
        """Calls from here on are not of the same reply."""
        self._closed = True

    def add(self, call: ToolCall) -> None:
        """A call that waits for its result."""
        if self._closed:
            self._group, self._closed = [], False
        self._group.append(call)
        self._open[call.call_key] = call
        self._by_name[call.name] = call
        if call.call_id is not None:
            self._by_id[call.call_id] = call

    def waiting(self, call_id: str | None) -> ToolCall | None:
        """The call of an id that waits: that the tool was started says no more than was asked."""
        call = self._by_id.get(call_id or "")
        return call if call is not None and call.call_key in self._open else None

    def answered(self, call_id: str | None, name: str | None) -> ToolCall | None:
        """The call that a result is for.

        By id; without one the first of its tool that waits in the last group, else the last of its
        tool that waits; without a tool the first that waits in the last group.
        """
        if call_id is not None:
            return self._by_id.get(call_id)
        group = [call for call in self._group if call.call_key in self._open]
        if name is None:
            return next(iter(group), None)
        waiting = [call for call in self._open.values() if call.name == name]
        return next((call for call in group if call.name == name), next(reversed(waiting), None))

    def settle(self, call: ToolCall | None) -> None:
        """A call has its result."""
        self._closed = True
        if call is not None:
            self._open.pop(call.call_key, None)

    def found(self, call_id: str | None, name: str | None) -> ToolCall | None:
        """The call that an approval or a handoff is about: by id, else the last of its tool."""
        if call_id is not None:
            return self._by_id.get(call_id)
        return self._by_name.get(name) if name is not None else None

    def last(self) -> ToolCall | None:
        """The last call of all."""
        return self._group[-1] if self._group else None
