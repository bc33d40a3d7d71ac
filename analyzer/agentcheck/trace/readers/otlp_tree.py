"""The spans of one trace: by start, as a tree, and split into conversations."""

from __future__ import annotations

from agentcheck.trace.readers.otlp_spans import STEPS, Node, OtlpSpan

CONVERSATION = "gen_ai.conversation.id"


class OtlpTree:
    """Spans sorted by their start, with their ancestors. Of spans with one id the last counts."""

    def __init__(self, spans: list[OtlpSpan]) -> None:
        nodes = {s.spanId: Node(s) for s in spans if isinstance(s.spanId, str)}
        self.nameless = sum(not isinstance(s.spanId, str) for s in spans)
        self._nodes = nodes
        self.ordered = sorted(nodes.values(), key=lambda node: node.start or 0)
        self.orphans = {
            n.parent for n in self.ordered if n.parent is not None and n.parent not in nodes
        }

    def up(self, node: Node) -> list[Node]:
        """A span's ancestors, nearest first."""
        found: list[Node] = []
        while len(found) < STEPS and node.parent is not None:
            above = self._nodes.get(node.parent)
            if above is None:
                break
            found.append(above)
            node = above
        return found

    def loop(self, node: Node) -> str | None:
        """The id of the agent's span that a span stands in."""
        return next((above.id for above in self.up(node) if above.kind == "agent"), None)

    def agent(self, node: Node) -> str | None:
        """The agent's name, on the span itself or above."""
        own = node.get("gen_ai.agent.name")
        above = (n.get("gen_ai.agent.name", "agent_name") for n in self.up(node))
        return own or next(filter(None, above), None)

    def conversations(self) -> dict[str, list[Node]]:
        """The GenAI spans of each conversation, in order of first appearance.

        A trace may hold many runs, for example a whole evaluation; the conversation tells them
        apart. A span without one belongs to that of the nearest span above; "" where no span
        has any.
        """
        found: dict[str, list[Node]] = {}
        for node in self.ordered:
            if node.kind:
                found.setdefault(self._conversation(node), []).append(node)
        return found

    def _conversation(self, node: Node) -> str:
        for each in (node, *self.up(node)):
            name = each.get(CONVERSATION)
            if name is not None:
                return name
        return ""
