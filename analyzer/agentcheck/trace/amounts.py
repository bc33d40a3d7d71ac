"""What a run used: turns, tokens, cost and time, and what of it the record does not tell."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from agentcheck.model.event import Approval, Event, Handoff, ModelCall, Run, ToolCall
from agentcheck.model.runs import Amounts
from agentcheck.trace.prices import cost_of, input_tokens

_MOST = 10**15


class Amount(NamedTuple):
    """How much; `gap` says what is missing, None for an amount of which nothing is known."""

    value: float | None
    gap: str = ""


def tokens_of(run: Run) -> Amount:
    """Tokens of all replies and of what they were given."""
    replies = run.all(ModelCall)
    blank = sum(tokens_given(r) is None or tokens_made(r) is None for r in replies)
    used = sum((tokens_given(r) or 0) + (tokens_made(r) or 0) for r in replies)
    if not replies:
        return Amount(None, "the record holds no model call")
    gap = f"tokens are not counted for {blank} of {len(replies)} replies" if blank else ""
    return Amount(used if blank < len(replies) else None, gap)


def cost_known(call: ModelCall) -> float | None:
    """The cost of a reply; prices are not looked up where tokens are missing, for that is slow."""
    if call.cost is None and (call.input_tokens is None or call.output_tokens is None):
        return None
    return _sane(cost_of(call))


def tokens_given(call: ModelCall) -> int | None:
    """The tokens of a request; numbers that nothing can have used are taken for the most."""
    return _count(input_tokens(call))


def tokens_made(call: ModelCall) -> int | None:
    """The tokens of a reply, likewise."""
    return _count(call.output_tokens)


def _count(count: int | None) -> int | None:
    return None if count is None else min(max(count, 0), _MOST)


def _sane(amount: float | None) -> float | None:
    """An amount that can be added up, else None."""
    return amount if amount is not None and 0 <= amount <= _MOST else None


def cost_in(run: Run) -> Amount:
    """US dollars, as recorded or by the price of the model."""
    costs = [cost_known(reply) for reply in run.all(ModelCall)]
    known = [cost for cost in costs if cost is not None]
    if not costs:
        return Amount(None, "the record holds no model call")
    blank = len(costs) - len(known)
    gap = f"the cost of {blank} of {len(costs)} replies is not known" if blank else ""
    return Amount(sum(known) if known else None, gap)


def seconds_of(run: Run) -> Amount:
    """Seconds from the first record to the last, without the waits for an approval."""
    first = last = asked = None
    waited = 0.0
    for event in run.events:
        ts = time_of(event)
        if ts is None:
            continue
        first = ts if first is None else min(first, ts)
        last = max(ts if last is None else last, ts + (duration_of(event) or 0.0))
        if isinstance(event, Approval):
            waited += max(ts - asked, 0.0) if asked is not None else 0.0
            asked = ts if event.state == "requested" else None
    if first is None or last is None:
        return Amount(None, "the record has no times")
    return Amount(max(last - first - waited, 0.0))


def time_of(event: Event) -> float | None:
    """When an event was, in seconds; None where that is not recorded, or is no time."""
    return _sane(event.ts)


def duration_of(event: Event) -> float | None:
    """How many seconds an event took; None where that is not recorded, or is no length."""
    return _sane(getattr(event, "duration", None))


def amounts_of(run: Run) -> Amounts:
    """All amounts of a run."""
    replies, results = run.all(ModelCall), run.answers.values()
    tokens, cost = tokens_of(run), cost_in(run)
    given = [n for n in map(tokens_given, replies) if n is not None]
    made = [n for n in map(tokens_made, replies) if n is not None]
    return Amounts(
        turns=len(replies),
        calls=len(run.all(ToolCall)),
        failed_calls=sum(result.is_error is True for result in results),
        handoffs=len(run.all(Handoff)),
        tokens_in=sum(given) if given else None,
        tokens_out=sum(made) if made else None,
        cost=cost.value,
        seconds=seconds_of(run).value,
        at_least=(*(("tokens",) if tokens.gap else ()), *(("cost",) if cost.gap else ())),
    )


def together(one: Amounts, other: Amounts) -> Amounts:
    """The amounts of two sets of runs."""
    return Amounts(
        turns=one.turns + other.turns,
        calls=one.calls + other.calls,
        failed_calls=one.failed_calls + other.failed_calls,
        handoffs=one.handoffs + other.handoffs,
        tokens_in=_sum(one.tokens_in, other.tokens_in),
        tokens_out=_sum(one.tokens_out, other.tokens_out),
        cost=_sum(one.cost, other.cost),
        seconds=_sum(one.seconds, other.seconds),
        at_least=tuple(sorted({*one.at_least, *other.at_least}, reverse=True)),
    )


_N = TypeVar("_N", int, float)


def _sum(one: _N | None, other: _N | None) -> _N | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other
