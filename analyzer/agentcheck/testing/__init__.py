"""A scripted model for any agent: run the real code with no provider, no network and no key.

Needs the standard library alone, and nothing of agentcheck outside this package, so that it can be
put on the path of the environment that the code under test runs in (see `portable`).

    def test_the_run_stops(scripted_model):
        model = scripted_model(always("search"))
        run_my_agent("Find it.")
        assert len(model.requests) <= 20

`reply` has what a model can answer, `script` and `replay` the scripts, `model` the scripted model,
`request` what it was asked, `plugin` the pytest fixtures.
"""

from agentcheck.testing.model import Runaway, ScriptedModel
from agentcheck.testing.protocol import ProtocolError
from agentcheck.testing.replay import recorded, replay
from agentcheck.testing.reply import (
    Call,
    Dropped,
    Failure,
    Refused,
    Reply,
    Slow,
    Step,
    asks,
    says,
)
from agentcheck.testing.request import Asked, Message, Request, Tool
from agentcheck.testing.script import (
    Script,
    always,
    broken_arguments,
    calling,
    cut_off,
    done,
    dropped,
    empty_last_chunk,
    filtered,
    growing_usage,
    ping_pong,
    rate_limited,
    refusal,
    sequence,
    server_error,
    slow_stream,
    two_handoffs,
    unknown_tool,
)

__all__ = [
    "Asked",
    "Call",
    "Dropped",
    "Failure",
    "Message",
    "ProtocolError",
    "Refused",
    "Reply",
    "Request",
    "Runaway",
    "Script",
    "ScriptedModel",
    "Slow",
    "Step",
    "Tool",
    "always",
    "asks",
    "broken_arguments",
    "calling",
    "cut_off",
    "done",
    "dropped",
    "empty_last_chunk",
    "filtered",
    "growing_usage",
    "ping_pong",
    "rate_limited",
    "recorded",
    "refusal",
    "replay",
    "says",
    "sequence",
    "server_error",
    "slow_stream",
    "two_handoffs",
    "unknown_tool",
]
