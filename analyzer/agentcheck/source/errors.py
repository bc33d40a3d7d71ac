"""What source and facts raise."""

from __future__ import annotations


class SourceError(Exception):
    """The user asked for something that cannot be read; the message is one clear line."""


class Unreadable(Exception):  # noqa: N818 - names the state of a file, not a fault of ours
    """One file cannot be read; the message is its one-line reason, as `skipped` shows it."""
