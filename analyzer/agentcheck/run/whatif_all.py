"""Every question of the family at once, for the audit report."""

from __future__ import annotations

from agentcheck.config import Settings
from agentcheck.rule import AgentGraph
from agentcheck.whatif import Asks


def every_question(settings: Settings, graph: AgentGraph | None) -> list[Asks]:
    """All questions, with what the code says where there is code."""
    from agentcheck.whatif.approval.answer import Approvals
    from agentcheck.whatif.approval.in_code import coded
    from agentcheck.whatif.cache.answer import Cache
    from agentcheck.whatif.compaction.answer import Compaction
    from agentcheck.whatif.policy.draft import draft_from_code
    from agentcheck.whatif.policy.drafted import DraftReplay
    from agentcheck.whatif.redaction.answer import Redaction
    from agentcheck.whatif.routing.answer import Routing

    code = coded(graph) if graph is not None else None
    given = settings.what_if
    return [
        DraftReplay(draft_from_code(graph, careful=True) if graph is not None else ()),
        Approvals(code, settings.trace.side_effecting),
        Redaction(),
        Routing(given.routing),
        Compaction(given.compaction),
        Cache(given.cache),
    ]
