"""The spans of one trace: by start, as a tree, and split into conversations."""

from __future__ import annotations

from collections import Counter

from agentcheck.trace.readers.node import GEN_AI, GRAPH, Node
from agentcheck.trace.readers.otlp_values import STEPS

_HOLD_NOTHING = ("", "chain", "execute_task")
CONVERSATION = "gen_ai.conversation.id"


class OtlpTree:
    """Spans sorted by their start, with their ancestors. Of spans with one id the last counts.

    `nameless` counts spans without an id, which are left out.
    """

    def __init__(self, spans: list[Node], nameless: int = 0) -> None:
        nodes = {node.id: node for node in spans}
        self.nameless = nameless
        self._nodes = nodes
        self._asked: Counter[str] | None = None
        self._above: dict[str, list[Node]] = {}
        self._agents: dict[str, str | None] = {}
        self.ordered = sorted(nodes.values(), key=lambda node: node.start or 0)
        self.orphans = {
            n.parent for n in self.ordered if n.parent is not None and n.parent not in nodes
        }

    def up(self, node: Node) -> list[Node]:
        """A span's ancestors, nearest first."""
        parent = node.parent
        if parent is None:
            return []
        known = self._above.get(parent)
        if known is None:
            known = self._above[parent] = self._climbed(node)
        return known

    def _climbed(self, node: Node) -> list[Node]:
        found: list[Node] = []
        while len(found) < STEPS and node.parent is not None:
            above = self._nodes.get(node.parent)
            if above is None:
                break
            found.append(above)
            node = above
        return found

    def loop(self, node: Node) -> str | None:
        """The id of the agent's span that a span stands in.

        Some instrumentations write an agent's span for each step of its loop, with one request
        to the model in it; then the loop is that of all such spans of one name side by side.
        Where LangGraph says which graph's node a span ran in, the loop is that graph's run. An
        agent that is called as a tool has no span of its own in some formats.
        """
        graph = node.attributes.get(GRAPH)
        if isinstance(graph, str):
            return f"graph {graph.rpartition('|')[0]}"
        bounds = ("agent",) if node.dialect == GEN_AI else ("agent", "tool")
        above = next((above for above in self.up(node) if above.kind in bounds), None)
        if above is None:
            return None
        if node.dialect == GEN_AI or above.kind == "tool" or self._requests(above) > 1:
            return above.id
        return f"{above.parent}/{above.name}"

    def agent(self, node: Node) -> str | None:
        """The agent's name, on the span itself or above."""
        own = node.get("gen_ai.agent.name")
        if own is not None or node.parent is None:
            return own
        if node.parent not in self._agents:
            above = (n.get("gen_ai.agent.name", "agent_name") for n in self.up(node))
            self._agents[node.parent] = next(filter(None, above), None)
        return self._agents[node.parent]

    def repeats(self, node: Node) -> bool:
        """Whether a span tells once more of the request that a model's span above tells of."""
        above = self._nodes.get(node.parent or "")
        steps = 0
        while above is not None and above.kind in _HOLD_NOTHING and steps < STEPS:
            above = self._nodes.get(above.parent or "")
            steps += 1
        return (
            above is not None
            and above is not node
            and above.kind == "model"
            and "gen_ai.output.messages" in above.attributes
        )

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

    def _requests(self, agent: Node) -> int:
        """How many requests to a model and tools there are below a span."""
        if self._asked is None:
            asked = (n for n in self.ordered if n.kind in ("model", "tool"))
            self._asked = Counter(above.id for node in asked for above in self.up(node))
        return self._asked[agent.id]
