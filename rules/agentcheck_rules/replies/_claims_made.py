"""What an English answer says that it did, in the words of a tool's name."""

from __future__ import annotations

import re
from functools import lru_cache

from agentcheck.rule import lazy_re

_WORDS = lazy_re(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SENTENCE = lazy_re(r"(?<=[.!?])\s+|\n+")
_DONE = {
    "buy": "bought",
    "do": "done",
    "give": "given",
    "make": "made",
    "pay": "paid",
    "put": "put",
    "reset": "reset",
    "sell": "sold",
    "send": "sent",
    "set": "set",
    "withdraw": "withdrawn",
    "write": "written",
    "overwrite": "overwritten",
    "undo": "undone",
}
# With one of these a sentence tells of a plan, a condition or a question.
_OPEN = lazy_re(
    r"\?|n['’]t\b|\b(?:not|no|never|will|shall|would|could|can|may|might|should|must|if|once|when"
    r"|before|after|until|unless|to be|going to|please|want|need|already)\b",
    re.IGNORECASE,
)
_ADVERBS = r"(?:(?:now|just|also|then|successfully|been)\s+){0,3}"


def words_of(name: str) -> list[str]:
    """The lower-case words of a tool's name, its namespace cut off."""
    last = re.split(r"__|[.:/]", name)[-1]
    return [word.lower() for word in _WORDS.findall(last)]


def claim_in(text: str, tool: str, *, own: bool) -> str | None:
    """The first sentence by which an answer says that it did what a tool is named after.

    `own` asks for the first person, and for the thing that the name speaks of.
    """
    verb, *rest = words_of(tool) or [""]
    if len(verb) < 3:
        return None
    for sentence in _SENTENCE.split(text[:4_000]):
        said = _pattern(verb, own).search(sentence)
        named = not own or _names(sentence, rest)
        if said and named and not _OPEN.search(sentence):
            return sentence
    return None


def same_verb(one: str, two: str) -> bool:
    """Whether two tools are named after the same action."""
    return words_of(one)[:1] == words_of(two)[:1]


def _names(sentence: str, rest: list[str]) -> bool:
    """Whether a sentence names what a tool acts on."""
    lower = sentence.lower()
    return bool(rest) and any(w.removesuffix("s") in lower for w in rest if len(w) > 3)


@lru_cache(maxsize=512)
def _pattern(verb: str, own: bool) -> re.Pattern[str]:  # noqa: FBT001 - lru_cache wants it so
    done = _forms(verb)
    first = rf"\b(?:I|we)(?:['’]ve|\s+have)?\s+{_ADVERBS}{done}\b"
    if own:
        return re.compile(first, re.IGNORECASE)
    told = rf"\b(?:has|have|is|are|was|were)\s+{_ADVERBS}{done}\b"
    return re.compile(rf"{first}|{told}|\bsuccessfully\s+{done}\b|^\W*{done}\b", re.IGNORECASE)


def _forms(verb: str) -> str:
    """The past participle of a verb, as a pattern; also the past of those that have their own."""
    known = _DONE.get(verb)
    if known:
        past = {"given": "gave", "written": "wrote", "withdrawn": "withdrew"}.get(known, known)
        return f"(?:{known}|{past})"
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "o"):
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}?ed"
