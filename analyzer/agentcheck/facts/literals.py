"""How large a number may be to be kept as one."""

from __future__ import annotations

MAX_INT = 2**63 - 1
MAX_INT_CHARS = 70  # enough for 63 binary digits with prefix; longer ones are not worth parsing
