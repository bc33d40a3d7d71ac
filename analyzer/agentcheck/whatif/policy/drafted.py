"""A replay of the policy that would be drafted: for reports where nobody has written one yet."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from agentcheck.model.event import Run
from agentcheck.model.whatif import Answer
from agentcheck.whatif.policy.decide import Policy
from agentcheck.whatif.policy.draft import Drafted, Seen, together
from agentcheck.whatif.policy.form import Limit, PolicyForm, ToolForm
from agentcheck.whatif.policy.replay import Replay

NAME = "a drafted policy"
_NOTE = "The policy is what `agentcheck policy draft` would write; amounts are limited to 0 in it."


class DraftReplay:
    """Asks a draft about every call; it grows by the tools of each run before it is asked."""

    def __init__(self, code: Sequence[Drafted] = ()) -> None:
        self._code, self._seen = code, Seen()
        self._known: list[Drafted] = []
        self._replay = Replay(drafted_policy(()), NAME)

    def add(self, run: Run) -> None:
        """Take in a run."""
        self._seen.add(run)
        tools = [replace(tool, calls=None) for tool in together(self._code, self._seen.tools())]
        if tools != self._known:
            self._known = tools
            self._replay.policy = drafted_policy(tools)
        self._replay.add(run)

    def answer(self) -> Answer:
        """The decisions of the draft."""
        told = self._replay.answer()
        return replace(told, notes=(*told.notes, _NOTE))


def drafted_policy(tools: Sequence[Drafted]) -> Policy:
    """The policy of a draft, as it would be read back from its text."""
    forms = {tool.name: _form(tool) for tool in tools}
    return Policy(PolicyForm(version=1, tools=forms), NAME)


def _form(tool: Drafted) -> ToolForm:
    limit = None if tool.amount is None else Limit(argument=tool.amount, most=0)
    return ToolForm(does=tool.does, ask=tool.ask(strict=False), limit=limit)
