"""Which tools change the world: those the settings name, or those whose names say so."""

from __future__ import annotations

import re
from functools import lru_cache

from agentcheck.rule import TraceSettings

# Each call does it once more.
_ANEW = frozenset(
    {
        "send", "email", "mail", "sms", "notify", "post", "tweet", "publish", "broadcast",
        "invite", "pay", "charge", "refund", "reimburse", "transfer", "withdraw", "deposit",
        "donate", "buy", "purchase", "book", "reserve", "create", "insert", "append", "submit",
        "issue", "place", "schedule", "wire",
    }
)  # fmt: skip
# A second call with the same arguments leaves the world as the first did.
_LASTING = frozenset(
    {
        "delete", "remove", "drop", "erase", "purge", "cancel", "update", "modify", "edit",
        "write", "overwrite", "move", "rename", "reset", "revoke", "grant", "approve", "reject",
        "deploy", "merge", "push", "terminate", "disable", "enable", "upload", "replace", "add",
        "execute", "change", "share",
    }
)  # fmt: skip
# With one of these behind it the verb is a noun or an adjective: `refund_policy`, `post_process`.
_ASKING = frozenset(
    {
        "status", "details", "detail", "info", "information", "history", "list", "lookup",
        "search", "policy", "rate", "rates", "price", "prices", "cost", "quote", "estimate",
        "summary", "count", "process", "processing", "preview", "title", "titles", "plan", "query",
    }
)  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def acts(name: str, settings: TraceSettings) -> bool:
    """Whether a tool changes the world."""
    if settings.side_effecting is not None:
        return name in settings.side_effecting
    return _verb(name) in _ANEW | _LASTING


def acts_anew(name: str, settings: TraceSettings) -> bool:
    """Whether each further call of a tool changes the world once more."""
    if settings.side_effecting is not None:
        return name in settings.side_effecting
    return _verb(name) in _ANEW


def basis(name: str, settings: TraceSettings) -> str:
    """How it is known that a tool changes the world."""
    if settings.side_effecting is not None:
        return f"the settings name {name} as a tool that changes the world"
    return f"by its name, {name} changes the world"


@lru_cache(maxsize=4096)
def _verb(name: str) -> str:
    """The verb a tool's name begins with, after any namespace; "" where it only asks."""
    words: list[str] = [w.lower() for w in _WORD.findall(re.split(r"__|[.:/]", name)[-1])]
    if not words or _ASKING.intersection(words[1:]) or words[:2] == ["transfer", "to"]:
        return ""
    return words[0]
