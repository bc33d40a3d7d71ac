"""What a check of a recorded run may be told; the user's `[trace]` configuration."""

from msgspec import Struct


class TraceSettings(Struct, frozen=True, kw_only=True):
    """Limits and names for the checks of runs.

    `side_effecting` names tools that change the world; None means judge by name. `max_turns` is
    the number of model calls past which a run is a runaway, `min_repeats` the number of equal
    calls or messages that is a repetition.

    The budgets hold for one run each, None for no budget: `max_tokens` of all replies and what
    they were given, `max_cost_usd` in US dollars, `max_seconds` from the first record to the
    last, `max_tool_calls`. `context_window` is the number of tokens that the model takes, None for
    what is known of the model.
    """

    side_effecting: frozenset[str] | None = None
    max_turns: int = 25
    min_repeats: int = 3
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    max_seconds: float | None = None
    max_tool_calls: int | None = None
    context_window: int | None = None
