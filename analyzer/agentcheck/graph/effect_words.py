"""Words by which a tool's name or docstring tells what it does to the world."""

from __future__ import annotations

import re
from typing import Literal

Weight = Literal["money", "message", "destructive", "code", "change"]
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?=[A-Z]|$)|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MONEY = _words("""
    bid buy certificate charge checkout compensation credit credits deposit discount donate
    invoice order pay payment payout purchase refund sell subscription tip trade transfer wire
    withdraw
""")
MESSAGE = _words("""
    alert announce broadcast email invite letter mail message notification notify post reply sms
    text ticket tweet
""")
_ACTS: dict[Weight, frozenset[str]] = {
    "money": _words("""
        buy charge checkout deposit donate order pay purchase refund reimburse sell trade wire
        withdraw
    """),
    "message": _words("""
        broadcast email invite mail notify publish send sms text tweet
    """),
    "destructive": _words("""
        ban delete destroy drop erase kill overwrite purge remove revoke shutdown terminate
        truncate uninstall wipe
    """),
    "change": _words("""
        apply approve book cancel change deploy disable enable enroll grant insert install merge
        modify push reboot redirect register rename reroute reschedule reserve reset restart
        schedule submit subscribe unlock unsubscribe update upload write
    """),
}
ACT_VERBS: dict[str, Weight] = {verb: w for w, verbs in _ACTS.items() for verb in verbs}
# Verbs that only start or make something: the object tells what.
LIGHT_VERBS = _words("""
    add create do execute file give grant handle initiate issue make open perform place process
    put request start submit
""")
READ_VERBS = _words("""
    analyze answer ask browse calculate can check classify compare compute convert count crawl
    describe detect estimate explain extract fetch filter find forecast format generate get grep
    has inspect is list load loader look lookup map measure monitor parse plan predict preview
    query rank rate read reader recognize recommend reflect retrieve score scrape search show
    simulate sort suggest summarize test think track transcribe translate valid validate verify
    view
""")


def words_of(name: str) -> list[str]:
    """The lower-case words of an identifier in snake or camel case."""
    return [w.lower() for part in name.split("_") for w in _WORDS.findall(part) or [part] if w]


def reads(words: list[str]) -> bool:
    """Whether a name speaks of reading and of nothing else: `get_order`, `web_search`."""
    if not words:
        return False
    if words[0] in READ_VERBS:
        return True
    return bool(READ_VERBS & set(words)) and not any(_verb(w) in ACT_VERBS for w in words[:1])


def _verb(word: str) -> str:
    known = (word, word.removesuffix("s"))
    return next((v for v in known if v in ACT_VERBS or v in LIGHT_VERBS), word)


def weight_of(words: list[str]) -> Weight | None:
    """What a verb with its object weighs; None when it says nothing of an effect."""
    if not words:
        return None
    verb, rest = _verb(words[0]), words[1:]
    weight = ACT_VERBS.get(verb)
    if weight is not None:
        return _by_object(rest) or weight
    return _by_object(rest) if verb in LIGHT_VERBS else None


def starts_something(words: list[str]) -> bool:
    """Whether a name begins with a verb that may stand for an effect: `create_event`."""
    return bool(words) and (_verb(words[0]) in ACT_VERBS or _verb(words[0]) in LIGHT_VERBS)


def _by_object(rest: list[str]) -> Weight | None:
    singular = {w.removesuffix("s") for w in rest} | set(rest)
    if singular & MONEY:
        return "money"
    return "message" if singular & MESSAGE else None


def said_by(doc: str) -> tuple[Weight | None, str]:
    """What the first sentence of a docstring weighs, with that sentence."""
    first = re.split(r"[.\n]", doc.strip(), maxsplit=1)[0].strip()
    said = [w.lower() for w in re.findall(r"[A-Za-z]+", first)][:6]
    return (None if reads(said[:1]) else weight_of(said)), first
