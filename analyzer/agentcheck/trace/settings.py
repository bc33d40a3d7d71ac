"""What a check of a recorded run may be told; the user's `[trace]` configuration."""

from msgspec import Struct


class TraceSettings(Struct, frozen=True, kw_only=True):
    """Limits and names for the checks of runs.

    `side_effecting` names tools that change the world; None means judge by name. `max_turns` is
    the number of model calls past which a run is a runaway, `min_repeats` the number of equal
    calls or messages that is a repetition.
    """

    side_effecting: frozenset[str] | None = None
    max_turns: int = 25
    min_repeats: int = 3
