"""What fix raises."""

from __future__ import annotations


class Unfixable(Exception):  # noqa: N818 - names the state of a file or a place, not a fault of ours
    """Something is left as it is; the message is its one-line reason."""
