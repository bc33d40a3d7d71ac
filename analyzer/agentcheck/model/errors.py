"""The errors that a user can cause and mend."""


class UsageError(Exception):
    """Bad input from the user; the message is one line: what, where, how to mend it."""
