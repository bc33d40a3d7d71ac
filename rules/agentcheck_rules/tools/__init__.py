"""AC3xx: how tool calls are dispatched and answered."""
