"""Times as tracing services write them, in nanoseconds since the epoch."""

from __future__ import annotations

import math
from typing import Any

from agentcheck.trace.readers.agents_sdk_spans import seconds

# A number is of the finest unit in which it lies after 1970 and before the year 5000.
_UNITS = ((10**17, 1), (10**14, 1_000), (10**11, 1_000_000), (0, 1_000_000_000))


def nanoseconds(stamp: Any) -> int | None:
    """A text of ISO 8601, or a number of seconds, milli-, micro- or nanoseconds."""
    if isinstance(stamp, str):
        found = seconds(stamp)
        return None if found is None else round(found * 1e9)
    if isinstance(stamp, bool) or not isinstance(stamp, (int, float)):
        return None
    if not math.isfinite(stamp) or not 0 <= stamp < 10**20:
        return None
    scale = next(scale for least, scale in _UNITS if stamp >= least)
    return round(stamp * scale)
