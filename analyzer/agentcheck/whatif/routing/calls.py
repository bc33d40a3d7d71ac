"""The model calls of a run, each with its tiers and its tokens."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.model.event import ModelCall, Run
from agentcheck.model.whatif_settings import TIERS, RoutingSettings, Tier
from agentcheck.trace.prices import would_cost
from agentcheck.whatif.conversation import (
    Conversation,
    Reply,
    conversation_of,
    estimate,
    given_tokens,
    made_tokens,
    reply_cost,
)
from agentcheck.whatif.routing.tiers import Ask, foretold, shown


class Routed(Struct):
    """A call. `given` and `made` are tokens, `counted` whether both are recorded; `cost` is what it
    cost as recorded, or by its model's price.

    `first` says whether the call is the first after its ask, which is when a router is asked.
    """

    call: ModelCall
    asked: str
    ask: Ask
    first: bool
    tier: Tier
    given: int
    made: int
    counted: bool
    cost: float | None


def calls_of(run: Run, settings: RoutingSettings) -> Iterator[Routed | ModelCall]:
    """The calls of a run; a call as it stands where its reply is not recorded."""
    talk = conversation_of(run, settings.model)
    asks = _asks(talk)
    before: int | None = -1
    for reply in talk.replies:
        routed = _routed(talk, reply, asks[reply.given], settings)
        if routed is None:
            yield reply.call
            continue
        routed.first = asks[reply.given] != before
        before = asks[reply.given]
        yield routed


def _routed(
    talk: Conversation, reply: Reply, at: int | None, settings: RoutingSettings
) -> Routed | None:
    given, given_counted = given_tokens(talk, reply)
    made, made_counted = made_tokens(talk, reply)
    if reply.made is None and not made_counted:
        return None
    asked = talk.messages[at].text if at is not None else ""
    text = talk.messages[reply.made].whole if reply.made is not None else ""
    return Routed(
        call=reply.call,
        asked=asked,
        ask=foretold(asked, settings),
        first=True,
        tier=shown(text, made, settings),
        given=given,
        made=made,
        counted=given_counted and made_counted,
        cost=reply_cost(talk, reply),
    )


def _asks(talk: Conversation) -> list[int | None]:
    """The last message of a person before each place in a conversation."""
    asks: list[int | None] = [None]
    for said in talk.messages:
        asks.append(said.at if said.role == "user" else asks[-1])
    return asks


def at_tier(routed: Routed, tier: Tier, settings: RoutingSettings) -> float | None:
    """What a call would have cost at a tier's model, without a cache."""
    return priced(routed, tier, routed.given, routed.made, settings)


def classified(routed: Routed, settings: RoutingSettings) -> float | None:
    """What the router's question about a call would have cost; nothing where it has none."""
    wanted = settings.classify == "all" or (settings.classify == "middle" and not routed.ask.plain)
    if not routed.first or not wanted:
        return 0.0
    given = settings.classify_input + estimate(routed.asked)
    return priced(routed, "small", given, settings.classify_output, settings)


def cascaded(routed: Routed, settings: RoutingSettings) -> float | None:
    """What a call would have cost if the smaller tiers were tried before.

    A try that is too weak is given all that the call was given, and makes no more than a reply of
    its tier has.
    """
    tries = TIERS[: TIERS.index(routed.tier)]
    most = {"small": settings.small_below, "medium": settings.large_above}
    costs = [priced(routed, t, routed.given, min(routed.made, most[t]), settings) for t in tries]
    costs.append(at_tier(routed, routed.tier, settings))
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def priced(
    routed: Routed, tier: Tier, given: int, made: int, settings: RoutingSettings
) -> float | None:
    """The price of so many tokens at a tier's model, on the day of the call."""
    model = settings.models.get(tier)
    if model is None:
        return None
    stand_in = ModelCall(
        seq=routed.call.seq, source=routed.call.source, ts=routed.call.ts, request_model=model
    )
    return would_cost(stand_in, given, made)
