"""Words by which a tool's name or docstring tells what it does to the world."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from agentcheck.model.pattern import lazy_re

Weight = Literal["money", "message", "destructive", "code", "change"]
_WORDS = lazy_re(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMESPACE = lazy_re(r"__|[.:/]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MONEY = _words("""
    bid buy cash certificate charge checkout compensation credit credits deposit discount donate
    fund funds invoice money order pay payment payout purchase refund sell subscription tip trade
    transfer wire withdraw
""")
_MESSAGE = _words("""
    alert announcement broadcast email invite letter mail message notification notify post reply
    sms ticket tweet
""")
# What `create` and `make` only draft; sending it is another tool.
_DRAFTS = _words("announcement email letter mail message post reply tweet")
_STORED = _words("database db disk env file record registry row sheet spreadsheet table")
# Verbs that act whatever their object is.
_ACTS: dict[Weight, frozenset[str]] = {
    "money": _words("""
        buy charge checkout deposit donate order pay purchase refund reimburse sell trade wire
        withdraw
    """),
    "message": _words("broadcast email invite mail notify publish send sms tweet"),
    "destructive": _words("""
        ban delete destroy drop erase kill overwrite purge remove revoke shutdown terminate
        truncate uninstall wipe
    """),
    "change": _words("""
        approve book cancel change deploy disable enable enroll grant insert install merge modify
        push reboot redirect register reject rename reroute reschedule reserve reset restart
        schedule subscribe unlock unsubscribe update upload
    """),
}
ACT_VERBS: dict[str, Weight] = {verb: w for w, verbs in _ACTS.items() for verb in verbs}
# Verbs that only start or make something: the object tells what.
LIGHT_VERBS = _words("""
    add append apply change create do edit execute file give handle initiate issue make move open
    perform place post process put replace request share start submit transfer write
""")
_MAKING = _words("create make write")
# Verbs whose second call with the same arguments leaves the world as the first did.
_LASTING = _words("""
    add approve ban cancel change delete deploy destroy disable drop edit enable erase execute
    grant install kill merge modify move overwrite purge push reject remove rename replace
    reset restart revoke share shutdown subscribe terminate truncate uninstall unlock unsubscribe
    update upload wipe write
""")
_ANEW = _words("""
    append book broadcast buy charge checkout create deposit donate email insert invite issue mail
    notify order pay place post publish purchase refund register reimburse reserve schedule sell
    send sms submit trade transfer tweet wire withdraw
""")
# Acts by name that are as often nouns: `order_status`, `change_in_percent`.
_NOUNS = LIGHT_VERBS | _words("""
    book charge deposit email invite mail order purchase refund schedule sms trade tweet upload
    wire
""")
# With one of these next or at the end, such a word is the noun.
_HEADS = _words("""
    address amount balance body by category code codes count cost date dates detail details draft
    estimate format history id ids in info information length limit line link list lookup method
    methods name names number numbers of options per percent plan policies policy preview price
    prices process processing query quote rate rates reason recommendation recommendations review
    reviews rules score search specialist status subject summary template title titles total
    totals type types validation value
""")
READ_VERBS = _words("""
    analyze answer ask browse calculate can check classify compare compute convert count crawl
    describe detect estimate explain extract fetch filter find forecast format generate get grep
    has inspect is list load loader look lookup map measure monitor parse plan predict preview
    query rank rate read reader recognize recommend reflect retrieve score scrape search show
    simulate sort suggest summarize test think track transcribe translate valid validate verify
    view
""")


_AMOUNT = lazy_re(
    r"(^|_)(amount|amt|sum|cents|usd|eur|gbp|dollars|euros|payout|refund_value|price|max_price|"
    r"bid|notional)(_|$)"
)
# Of such a name it is a figure about money that moves none.
_ABOUT = lazy_re(r"currency|unit|type|id$|label|format|count|column|field|number_of|reason")


def is_amount(name: str) -> bool:
    """Whether the name of a parameter says how much money."""
    word = name.lower()
    return bool(_AMOUNT.search(word)) and not _ABOUT.search(word)


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """The lower-case words of an identifier in snake or camel case, namespaces cut off."""
    return tuple(word.lower() for word in _WORDS.findall(_NAMESPACE.split(name)[-1]))


def reads(words: tuple[str, ...]) -> bool:
    """Whether a name speaks of reading and of nothing else: `get_order`, `web_search`."""
    if not words:
        return False
    return words[0] in READ_VERBS or (
        not READ_VERBS.isdisjoint(words) and _base(words[0]) not in ACT_VERBS
    )


def _base(word: str) -> str:
    known = (word, word.removesuffix("s"))
    return next((v for v in known if v in ACT_VERBS or v in LIGHT_VERBS), word)


def verb_of(words: tuple[str, ...]) -> str | None:
    """The verb a name begins with, if it may act; None for nouns, and for handing over."""
    if not words or words[:2] == ("transfer", "to"):
        return None
    verb, rest = _base(words[0]), words[1:]
    if verb not in ACT_VERBS and verb not in LIGHT_VERBS:
        return None
    is_noun = bool(rest) and (rest[0] in _HEADS or rest[-1] in _HEADS)
    return None if is_noun and verb in _NOUNS else verb


def weight_of(words: tuple[str, ...]) -> Weight | None:
    """What a verb with its object weighs; None when it says nothing of an effect."""
    verb = verb_of(words)
    if verb is None:
        return None
    return _by_object(verb, words[1:]) or ACT_VERBS.get(verb)


def _by_object(verb: str, rest: tuple[str, ...]) -> Weight | None:
    singular = {w.removesuffix("s") for w in rest} | set(rest)
    if singular & _MONEY:
        return "money"
    told = _MESSAGE - _DRAFTS if verb in _MAKING else _MESSAGE
    if singular & told:
        return "message"
    return "change" if verb == "write" and singular & _STORED else None


def acts(name: str) -> bool:
    """Whether a tool changes the world, by its name alone."""
    words = words_of(name)
    return verb_of(words) in _ANEW | _LASTING or weight_of(words) is not None


def acts_anew(name: str) -> bool:
    """Whether each further call of a tool changes the world once more, by its name alone."""
    words = words_of(name)
    verb = verb_of(words)
    started = verb in LIGHT_VERBS - _LASTING and weight_of(words) in ("money", "message")
    return verb in _ANEW or started


def said_by(doc: str) -> tuple[Weight | None, str]:
    """What the first sentence of a docstring weighs, with that sentence."""
    first = re.split(r"[.\n]", doc.strip(), maxsplit=1)[0].strip()
    said = tuple(w.lower() for w in re.findall(r"[A-Za-z]+", first)[:6])
    return (None if reads(said[:1]) else weight_of(said)), first
