"""Secrets and personal data in the text of traces: find them, and take them out of what is shown.

`shapes` says what is looked for. What is found gives way to a mark that names its kind and an
identity, such as `<email:5f0c1d2e3a4b5c6d>`: equal values have equal marks. The identity is keyed
with a random number that each process draws anew and keeps to itself, so that a mark cannot be
tried out against guesses. A report then numbers the marks in the order in which they appear
(`numbered`), which leaves nothing of the value at all: `<email-1>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from hashlib import blake2s
from secrets import token_bytes
from typing import NamedTuple

from agentcheck.model.pattern import lazy_re
from agentcheck.trace.secret_screen import likely_screen, secret_screen
from agentcheck.trace.shapes import ISSUED, LIKELY, PREFIXES, SURE, Shape, outline, words

_ALL = frozenset(shape.kind for shape in (*ISSUED, *SURE))
_LONG = 400
"""Characters from which a text is screened for each kind by itself."""
_SLOW = frozenset({"iban", "phone"})
"""Kinds for which a screen takes as long as for both."""
CUT = 200
"""Characters of a record's text that a report shows."""
SECRETS = frozenset({"private-key", "key", "token", "password"})
PERSONAL = frozenset({"email", "phone", "card", "iban", "social-security"})
"""What reports mask in what they quote of runs; a redactor masks more, see `find_all`."""

_NUMBERS = frozenset({"phone", "card", "iban", "national-id", "social-security", "mac-address"})
_KEY = token_bytes(16)
_MARK = lazy_re(r"<([a-z-]{3,20}):([0-9a-f]{16})>")
_HALF_MARK = lazy_re(r"<[a-z-]{0,20}(?::[0-9a-f]{0,16})?\Z")


class Secret(NamedTuple):
    """A stretch of text that should not be shown: what it is, and the characters it takes."""

    kind: str
    start: int
    end: int


def identity() -> bytes:
    """What the marks of this process are made with."""
    return _KEY


def take_identity(key: bytes) -> None:
    """Make marks that are equal to those of another process."""
    global _KEY  # noqa: PLW0603 - one report, one key, in however many processes
    _KEY = key


def find_secrets(text: str, kinds: frozenset[str] | None = None) -> Iterator[Secret]:
    """Every certain secret in a text, of some kinds or of all; stretches may overlap."""
    sought = _ALL if kinds is None else kinds
    if len(text) <= _LONG:
        if not secret_screen(sought)(text):
            return
    else:
        if not secret_screen(sought & _SLOW)(text):
            sought -= _SLOW
        kinds = frozenset(k for k in sought if secret_screen(frozenset({k}))(text))
    yield from _issued(text, _issued_of(kinds))
    yield from _find(text, _sure_of(kinds))


def find_all(text: str) -> Iterator[Secret]:
    """All that a redactor would take out of a text, certain or not; stretches may overlap."""
    from agentcheck.trace.wide import WIDE

    yield from find_secrets(text)
    yield from _find(text, LIKELY)
    yield from _find(text, WIDE)


def mask(text: str, kinds: frozenset[str] | None = None) -> str:
    """The text with a mark for each secret; also for what only looks much like one."""
    parts: list[str] = []
    done = 0
    likely = _likely_of(kinds) if likely_screen()(text) else ()
    found = (*find_secrets(text, kinds), *_find(text, likely))
    for secret in sorted(found, key=lambda s: (s.start, -s.end)):
        if secret.start >= done:
            parts += text[done : secret.start], _mark(secret, text)
            done = secret.end
    return "".join((*parts, text[done:])) if parts else text


class Numbered:
    """Numbers the marks of one report, each kind from 1 on, in the order in which they come."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._count: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        """The text with a placeholder such as `<email-1>` in place of each mark."""
        return _MARK.sub(self._placeholder, text) if "<" in text else text

    def _placeholder(self, match: re.Match[str]) -> str:
        known = self._known.get(match[0])
        if known is None:
            kind = match[1]
            self._count[kind] = self._count.get(kind, 0) + 1
            known = self._known[match[0]] = f"<{kind}-{self._count[kind]}>"
        return known


def without_identity(text: str) -> str:
    """The text with marks that only name the kind: the same in every process."""
    return _MARK.sub(r"<\1>", text) if "<" in text else text


def excerpt(text: str, start: int = 0, most: int = CUT) -> str:
    """About `most` characters of a text from `start` on, secrets masked before it is cut."""
    start = _outside(text, start)
    window = text[start : start + 4 * CUT]
    if len(text) > start + 4 * CUT:
        window = window[: max(window.rfind(" "), CUT)]  # half a secret has no shape
    shown = mask(window)
    if len(shown) <= most:
        return shown
    return f"{_HALF_MARK.sub('', shown[: most - 1])}\N{HORIZONTAL ELLIPSIS}"


def _outside(text: str, start: int) -> int:
    """A place to start that does not stand inside a secret: without its head it has no shape."""
    if start <= 0:
        return 0
    lead = max(0, start - 2 * CUT)
    near = text[lead : start + CUT]
    across = (s for s in find_secrets(near) if s.start + lead < start < s.end + lead)
    return min((s.start + lead for s in across), default=start)


def _of(shapes: tuple[Shape, ...], kinds: frozenset[str] | None) -> tuple[Shape, ...]:
    return shapes if kinds is None else tuple(s for s in shapes if s.kind in kinds)


# Each with a cache of its own: as a key, the shapes would be hashed one by one at each call.
_issued_of = cache(partial(_of, ISSUED))
_sure_of = cache(partial(_of, SURE))
_likely_of = cache(partial(_of, LIKELY))


def _issued(text: str, shapes: tuple[Shape, ...]) -> Iterator[Secret]:
    """Keys with a known prefix, sought in long words alone, of which most texts have few."""
    for start, end in words(text) if shapes else ():
        if PREFIXES.search(text, start, end):
            for shape in shapes:
                for match in _matches(shape, text, b"", start, end):
                    yield Secret(shape.kind, *match.span())


def _find(text: str, shapes: tuple[Shape, ...]) -> Iterator[Secret]:
    outlined: bytes | None = None
    for shape in shapes:
        if shape.needs or (shape.hints and isinstance(shape.hints[0], bytes)):
            outlined = outline(text) if outlined is None else outlined
        if shape.needs and not _may_meet(shape, text, outlined or b""):
            continue
        for match in _matches(shape, text, outlined or b""):
            start, end = _span(match)
            if shape.check is None or shape.check(text[start:end]):
                yield Secret(shape.kind, start, end)


def _may_meet(shape: Shape, text: str, outlined: bytes) -> bool:
    if not text.isascii():
        return True
    bare = outlined.replace(b" ", b"")
    return any(need in outlined or need in bare for need in shape.needs)


def _matches(
    shape: Shape, text: str, outlined: bytes, start: int = 0, end: int | None = None
) -> Iterator[re.Match[str]]:
    if not shape.hints or _is_dense(shape, text):
        yield from shape.pattern.finditer(text)
        return
    for hint in shape.hints:
        done = start
        at = _seek(text, outlined, hint, start, end)
        while at >= 0:
            match = _at(shape, text, at, done)
            if match is not None:
                done = match.end()
                yield match
            at = _seek(text, outlined, hint, max(at + 1, done), end)


def _is_dense(shape: Shape, text: str) -> bool:
    """Whether the hints stand so close that a look around each takes longer than the whole."""
    around = 0 if shape.body and text.isascii() else 2 * shape.within
    return bool(around) and sum(text.count(str(h)) for h in shape.hints) * around > len(text)


def _seek(text: str, outlined: bytes, hint: str | bytes, start: int, end: int | None) -> int:
    if isinstance(hint, str):
        return text.find(hint, start, end)
    return outlined.find(hint, start, end)


def _at(shape: Shape, text: str, at: int, done: int) -> re.Match[str] | None:
    """The match that belongs to a hint at a place, if it is one."""
    if not shape.within:
        return shape.pattern.match(text, max(at - shape.before, 0))
    if shape.body:
        before = text[max(done, at - shape.lead) : at]
        if before.isascii():
            return shape.pattern.match(text, at - len(before) + len(before.rstrip(shape.body)))
    lead = shape.lead or shape.within
    near = shape.pattern.search(text, max(done, at - lead), at + shape.within)
    return near and shape.pattern.match(text, near.start())


def _span(match: re.Match[str]) -> tuple[int, int]:
    """What of a match is the secret: its group where it has a label in front."""
    labelled = match.lastindex == 1 and match.end(1) == match.end()
    return match.span(1 if labelled else 0)


def same(kind: str, value: str) -> str:
    """What two ways to write one secret have in common: case and the blanks in numbers differ."""
    value = value.casefold()
    return "".join(filter(str.isalnum, value)) if kind in _NUMBERS else value


def _mark(secret: Secret, text: str) -> str:
    value = same(secret.kind, text[secret.start : secret.end])
    digest = blake2s(value.encode(errors="replace"), key=_KEY, digest_size=8)
    return f"<{secret.kind}:{digest.hexdigest()}>"
