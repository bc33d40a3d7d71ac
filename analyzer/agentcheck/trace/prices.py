"""What a model costs and how much it takes, from the data that the package genai-prices ships.

Nothing is fetched: the package asks the network only where its updater is started, which nothing
here does. It is imported when a run first needs it, for that takes half a second. A model that it
does not know has no price and no window; it is never taken for free.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agentcheck.model.event import ModelCall

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

_UNUSABLE = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError, OverflowError)
_EPOCH_YEARS = (1_500_000_000.0, 4_000_000_000.0)


def model_name(call: ModelCall) -> str | None:
    """The model that answered, else the one that was asked."""
    return call.response_model or call.request_model


def input_tokens(call: ModelCall) -> int | None:
    """The tokens of a whole request, those from the provider's cache among them."""
    return whole_input(call.input_tokens, call.cache_read, call.cache_creation)


def whole_input(given: int | None, read: int | None, written: int | None) -> int | None:
    """The same of counts: the input, and what of it came from the cache and went into it.

    OpenAI counts cached tokens among the input, Anthropic beside it; where more were cached than
    the input has, they stand beside it.
    """
    if given is None:
        return None
    given = max(given, 0)
    cached = max(read or 0, 0) + max(written or 0, 0)
    return given + cached if cached > given else given


def cost_of(call: ModelCall) -> float | None:
    """What a call cost in US dollars: as recorded, else by its tokens; None where that is unknown.

    The price is that of the day of the call, of today where the record has no date.
    """
    if call.cost is not None:
        return call.cost
    found = _model(call.provider, model_name(call))
    given = input_tokens(call)
    if found is None or given is None or call.output_tokens is None:
        return None
    from genai_prices import Usage

    provider, model = found
    try:
        usage = Usage(
            input_tokens=given,
            output_tokens=max(call.output_tokens, 0),
            cache_read_tokens=max(call.cache_read or 0, 0),
            cache_write_tokens=max(call.cache_creation or 0, 0),
        )
        price = model.calc_price(usage, provider, genai_request_timestamp=_day(call.ts))
    except _UNUSABLE:
        return None
    return float(price.total_price)


def window_of(call: ModelCall) -> int | None:
    """The tokens that the model of a call takes; None where that is unknown."""
    found = _model(call.provider, model_name(call))
    return found[1].context_window if found else None


def is_cached(call: ModelCall) -> bool:
    """Whether the provider sells input from its cache for the model of a call."""
    found = _model(call.provider, model_name(call))
    if found is None:
        return False
    try:
        return found[1].get_prices(_day(call.ts)).cache_read_mtok is not None
    except _UNUSABLE:
        return False


@cache
def _model(provider: str | None, name: str | None) -> tuple[Provider, ModelInfo] | None:
    """By the provider that the record names, else by the model alone, as in "openai/gpt-4o"."""
    if not name:
        return None
    from genai_prices.data_snapshot import get_snapshot

    for known in dict.fromkeys((provider, None, "litellm")):
        try:
            return get_snapshot().find_provider_model(name, None, known, None)
        except _UNUSABLE:
            continue
    return None


def _day(ts: float | None) -> datetime:
    if ts is not None and _EPOCH_YEARS[0] < ts < _EPOCH_YEARS[1]:
        return datetime.fromtimestamp(ts, UTC)
    return datetime.now(UTC)


def would_cost(
    call: ModelCall, given: int, made: int, read: int = 0, written: int = 0
) -> float | None:
    """What the model of a call asks for other tokens; None where its price is not known.

    `given` are all tokens of the request, `read` and `written` those of them that come from the
    provider's cache and go into it, at the price of other input where it has none for them.
    """
    return cost_of(
        replace(
            call,
            cost=None,
            input_tokens=given,
            output_tokens=made,
            cache_read=read,
            cache_creation=written,
        )
    )


@cache
def prices_dated() -> str:
    """The prices that are used: the package, its version, and the last day on which one changed."""
    from importlib.metadata import version

    from genai_prices.data_snapshot import get_snapshot

    models = (model for provider in get_snapshot().providers for model in provider.models)
    prices = (p for m in models for p in (m.prices if isinstance(m.prices, list) else ()))
    days = (getattr(price.constraint, "start_date", None) for price in prices)
    today = datetime.now(UTC).date()
    newest = max((day for day in days if day is not None and day <= today), default=None)
    return f"genai-prices {version('genai-prices')}" + (f" of {newest}" if newest else "")
