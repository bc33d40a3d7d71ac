"""A span of a run, whatever wrote it: its place in the tree, and its facts as attributes.

Attributes stand under the names of OpenTelemetry's GenAI conventions; formats with other names
are translated into these, so that one replay reads all of them.
"""

from __future__ import annotations

from typing import Any

from agentcheck.trace.records import BROKEN, value_of

GEN_AI = "gen_ai"
"""The dialect of spans whose attributes need no translation."""
GRAPH = "langgraph_checkpoint_ns"
"""LangGraph's path to a node: `name:run` of each graph, joined by bars; the last is the node's."""
MODEL = frozenset({"chat", "text_completion", "generate_content"})
AGENT = frozenset({"invoke_agent", "invoke_workflow"})


class Node:
    """A span. `start` and `end` are in nanoseconds since the epoch.

    `dialect` names the conventions it was written in, `why` what it says of its failure, `waits`
    that it stopped to ask a person, `unsure` that it does not show the arguments of its call as
    the model gave them. `places` maps a translated attribute to a JSON pointer to
    where it stood in the record.
    """

    __slots__ = (
        "_kind",
        "attributes", "dialect", "end", "failed", "id", "name", "parent", "places", "start",
        "unsure", "waits", "why",
    )  # fmt: skip

    def __init__(
        self,
        span_id: str,
        parent: Any,
        times: tuple[int | None, int | None],
        attributes: dict[str, Any],
        *,
        name: Any = None,
        failed: bool = False,
        why: Any = None,
    ) -> None:
        self.id = span_id
        self.parent = parent if isinstance(parent, str) and parent else None
        self.start, self.end = times
        self.attributes = attributes
        self.name = name if isinstance(name, str) else ""
        self.failed = failed
        self.why = why if isinstance(why, str) else ""
        self.waits = attributes.get("error.type") == "GraphInterrupt"
        self._kind: str | None = None
        self.dialect = GEN_AI
        self.unsure = False
        self.places: dict[str, str] = {}

    @property
    def kind(self) -> str:
        """ "model", "tool", "agent", another GenAI operation by its name, or "" for none.

        Attributes that say so are not changed once this was asked.
        """
        if self._kind is None:
            self._kind = self._told_kind()
        return self._kind

    def _told_kind(self) -> str:
        operation = self.get("gen_ai.operation.name")
        if operation in MODEL:
            return "model"
        if operation in AGENT:
            return "agent"
        if operation == "execute_tool":
            return "tool"
        if operation is None and self.get("gen_ai.request.model"):
            return "model"
        return operation or ""

    def get(self, *keys: str) -> str | None:
        """The first of some attributes that is a text that is not empty."""
        for key in keys:
            value = self.attributes.get(key)
            if isinstance(value, str) and value:
                return value
        return None

    def count(self, *keys: str) -> int | None:
        """The first of some attributes that is a whole number."""
        for key in keys:
            value = self.attributes.get(key)
            if type(value) is int:
                return value
        return None

    def amount(self, *keys: str) -> float | None:
        """The first of some attributes that is a number."""
        for key in keys:
            value = self.attributes.get(key)
            if type(value) is int or type(value) is float:
                return float(value)
        return None

    def parsed(self, *keys: str) -> Any:
        """The first of some attributes that is there, decoded where it is JSON in a text."""
        value = next((self.attributes[key] for key in keys if key in self.attributes), None)
        if not isinstance(value, str):
            return value
        try:
            return value_of(value)
        except BROKEN:
            return value

    def ran_with(self, given: Any, arguments: dict[str, Any] | None) -> None:
        """Notes what a tool was given, and the arguments if that shows them."""
        self.unsure = arguments is None
        if arguments is not None:
            self.attributes["gen_ai.tool.call.arguments"] = arguments
        elif given is not None:
            self.attributes["gen_ai.tool.call.arguments"] = {"input": given}

    def place(self, key: str) -> str:
        """The JSON pointer to an attribute."""
        return self.places.get(key) or f"/attributes/{key}"

    @property
    def seconds(self) -> float | None:
        """The start, in seconds since the epoch."""
        return None if self.start is None else self.start / 1e9

    @property
    def duration(self) -> float | None:
        """Seconds from start to end."""
        if self.start is None or self.end is None:
            return None
        return (self.end - self.start) / 1e9


def dialect(nodes: list[Node]) -> str:
    """The conventions that the spans of a run were written in: the first other than GenAI's."""
    return next((n.dialect for n in nodes if n.dialect != GEN_AI), GEN_AI)
