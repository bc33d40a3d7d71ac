"""The questions of recorded conversations with the answers that were given to them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.model.event import Run, Source, ToolCall
from agentcheck.model.whatif_settings import CacheSettings
from agentcheck.whatif.conversation import Conversation, Said, conversation_of, reply_cost

LONGEST = 4_000
"""Characters of a question or an answer that are kept."""


class Asked(Struct, frozen=True, gc=False):
    """A question with its answer, as far as they are kept.

    `turn` is its number in the conversation, from 0 on. `tools` is how many tools were called on
    the way, `calls` and `cost` what the models were: None where a cost is not known. `scope` names
    its user or tenant, None where nothing does; `system` what the model was told before.
    """

    source: Source
    text: str
    answered: Source
    answer: str
    turn: int
    tools: int
    calls: int
    cost: float | None
    scope: str | None
    system: int


def questions_of(run: Run, settings: CacheSettings) -> Iterator[Asked]:
    """The questions of a run that were answered in words."""
    talk = conversation_of(run, settings.model)
    asks = [said.at for said in talk.messages if said.role == "user" and said.text.strip()]
    scope = scope_of(run, settings)
    system = _system_of(talk)
    for turn, at in enumerate(asks):
        end = asks[turn + 1] if turn + 1 < len(asks) else len(talk.messages)
        between = talk.messages[at + 1 : end]
        answer = _answer(between)
        if answer is None:
            continue
        replies = [r for r in talk.replies if r.made is not None and at < r.made < end]
        costs = [reply_cost(talk, reply) for reply in replies]
        known = [cost for cost in costs if cost is not None]
        yield Asked(
            source=talk.messages[at].source,
            text=talk.messages[at].text[:LONGEST],
            answered=answer.source,
            answer=answer.text[:LONGEST],
            turn=turn,
            tools=sum(len(said.calls) for said in between),
            calls=len(replies),
            cost=sum(known) if known and len(known) == len(costs) else None,
            scope=scope,
            system=system,
        )


def scope_of(run: Run, settings: CacheSettings) -> str | None:
    """The user or tenant of a run: the first arguments of tools that name one."""
    keys = frozenset(settings.scope_keys)
    for call in run.all(ToolCall):
        named = {k: v for k, v in (call.arguments or {}).items() if k in keys}
        told = [f"{key}={value}" for key, value in sorted(named.items()) if _names(value)]
        if told:
            return ",".join(told)
    return None


def _names(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _answer(said: list[Said]) -> Said | None:
    """The last words to a person, after which no tool is called."""
    last = next((each for each in reversed(said) if each.role == "assistant"), None)
    return last if last is not None and last.text.strip() and not last.calls else None


def _system_of(talk: Conversation) -> int:
    static = (reply.static for reply in talk.replies[:1])
    told = (said.text for said in talk.messages[:4] if said.is_static)
    return hash((*static, *told))
