"""The agent graph (being written)."""


class AgentGraph:
    """Placeholder until linking lands."""
