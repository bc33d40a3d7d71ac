"""Decisions as JSON, one a line, for programs that read them."""

from __future__ import annotations

from typing import Any

import msgspec

from agentcheck.trace.mask import mask, without_identity
from agentcheck.whatif.policy.replay import Decided


def line_of(one: Decided) -> str:
    """Where the call stands, what is decided and why; secrets masked, arguments left out."""
    return msgspec.json.encode(_plain(one)).decode() + "\n"


def _plain(one: Decided) -> dict[str, Any]:
    source = one.source
    return {
        "file": source.file,
        "run": source.run,
        "record": source.record,
        "pointer": source.pointer,
        "tool": one.call.name,
        "decision": one.decision.outcome,
        "score": one.decision.score,
        "carried_out": one.carried_out,
        "reasons": [
            {
                "rule": reason.rule,
                "outcome": reason.outcome,
                "weight": reason.weight,
                "text": without_identity(mask(reason.text)),
            }
            for reason in one.decision.reasons
        ],
    }
