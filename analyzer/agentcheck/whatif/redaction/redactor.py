"""Takes secrets and personal data out of texts, with placeholders that are stable in a run.

`<email-1>` stands for the first address of a run wherever the run repeats it, in whatever case;
numbers are the same however they are grouped. Nothing leads back from a placeholder to its value,
and no table of them is kept beyond the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from agentcheck.model.pattern import lazy_re
from agentcheck.trace.mask import Secret, find_all, same
from agentcheck.trace.shapes import PREFIXES

PRIORITY = (
    "private-key",
    "key",
    "token",
    "password",
    "iban",
    "card",
    "national-id",
    "social-security",
    "email",
    "mac-address",
    "ip-address",
    "phone",
)
"""Where stretches overlap, they are taken out as one, of the kind that stands first here."""

_RANK = {kind: rank for rank, kind in enumerate(PRIORITY)}
_PLACEHOLDER = lazy_re(rf"<({'|'.join(PRIORITY)})-\d{{1,9}}>")
# Most texts hold none of these, and then nothing of what is looked for.
_WORDS = lazy_re(
    r"@|%40|[Pp]ass|PASS|ecret|ECRET|pi[_-]?[Kk]ey|PI_KEY|_token|BEGIN |://|earer |[ps]k_|[pr]k-"
    rf"|{PREFIXES.pattern}|[A-Z]{{2}}\d\d|\d(?:\.\d{{1,3}}){{3}}|[A-F\d]{{4}}:|[A-F\d]{{2}}[:-][A-F\d]{{2}}[:-]"
    r"|[a-f\d]{4}[:.]|[a-f\d]{2}[:-][a-f\d]{2}[:-]|slack"
)
_DIGITS = lazy_re(r"\d(?:[ ()./+-]{0,2}\d){6}")
_TIMES = lazy_re(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_LABEL = lazy_re(
    r"(?i)pass|secret|key|token|phone|mobile|tel|card|ssn|social|national|ni[no]|nhs|personal"
    r"|pesel|bsn|cpf|curp|dni|ni[ef]|aadha|tax|tfn|sin|egn|cnp|oib|pps|cpr|amka|hetu|codice|kenni"
)
_PASSWORD = lazy_re(r"(?i)(?:.{0,40}[_-])?(?:passwd|password|passphrase)")
_SHORTEST, _LONGEST = 4, 200
_SHORT = 300
_SECRET, _NAMED = 6, 1000


class Found(NamedTuple):
    """A stretch of a text that is taken out, and what it is."""

    kind: str
    start: int
    end: int


def found_in(text: str, label: str = "") -> list[Found]:
    """What a redactor takes out of a text, in order; `label` is the key that the text stands under.

    Nothing overlaps. Placeholders that stand in the text already are among it, as what they name.
    """
    head = f'{label[-60:]}": "' if _LABEL.search(label) else ""
    if _PASSWORD.fullmatch(label) and _SHORTEST <= len(text) <= _LONGEST and "\n" not in text:
        return [Found("password", 0, len(text))] if not _PLACEHOLDER.fullmatch(text) else _old(text)
    return list(_short(text, head) if len(text) < _SHORT else _sought(text, head))


@lru_cache(4096)
def _short(text: str, head: str) -> tuple[Found, ...]:
    """Runs repeat their short texts."""
    return tuple(_sought(text, head))


def _sought(text: str, head: str) -> Iterator[Found]:
    if not _WORDS.search(text) and not _has_number(text):
        return iter(_old(text))
    cut = len(head)
    secrets = (s for s in find_all(head + text) if s.end > cut)
    moved = (Secret(kind, max(a - cut, 0), b - cut) for kind, a, b in secrets)
    return _apart([*moved, *_old(text)])


def _has_number(text: str) -> bool:
    """Whether a text has seven digits in a row, besides dates and times."""
    return bool(_DIGITS.search(text)) and bool(_DIGITS.search(_TIMES.sub(" ", text)))


def _old(text: str) -> list[Found]:
    return [Found(match[1], *match.span()) for match in _PLACEHOLDER.finditer(text)]


def _apart(secrets: Sequence[Secret | Found]) -> Iterator[Found]:
    """Overlapping stretches as one."""
    kind, start, end = "", 0, -1
    for secret in sorted(secrets, key=lambda s: (s.start, -s.end)):
        if secret.start >= end:
            if kind:
                yield Found(kind, start, end)
            kind, start, end = secret
            continue
        kind = min(kind, secret.kind, key=_RANK.__getitem__)
        end = max(end, secret.end)
    if kind:
        yield Found(kind, start, end)


class Named:
    """Values that only the name they stand under gives away, to be taken out wherever they stand.

    Words of letters alone are not among them: a password that is a word is not told from the word.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def note(self, kind: str, value: str) -> None:
        """A value that was found; kept if it would not be found without its name."""
        if value in self.kinds or len(self.kinds) >= _NAMED or len(value) < _SECRET:
            return
        if not value.isalpha() and [(f.start, f.end) for f in found_in(value)] != [(0, len(value))]:
            self.kinds[value] = kind
            self._pattern = None

    def found_in(self, text: str) -> Iterator[Found]:
        """Where they stand in a text."""
        if not self.kinds:
            return
        if self._pattern is None:
            longest_first = sorted(self.kinds, key=len, reverse=True)
            self._pattern = re.compile(
                rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"
            )
        for match in self._pattern.finditer(text):
            yield Found(self.kinds[match[0]], *match.span())


class Redactor:
    """Takes things out of the texts of one run, and counts them by kind.

    `named` are values to take out wherever they stand; `seen` gathers those for another pass.
    """

    def __init__(self, named: Named | None = None) -> None:
        self._numbers: dict[str, dict[str, int]] = {}
        self._named = named or Named()
        self.seen = Named()
        self.taken: dict[str, int] = {}

    def found(self, text: str, label: str = "") -> list[Found]:
        """What is taken out of a text; `label` is the key that it stands under."""
        found = found_in(text, label)
        for kind, start, end in found:
            self.seen.note(kind, text[start:end])
        return list(_apart([*found, *more])) if (more := [*self._named.found_in(text)]) else found

    def text(self, text: str, label: str = "") -> str:
        """The text with placeholders."""
        found = self.found(text, label)
        if not found:
            return text
        parts: list[str] = []
        done = 0
        for kind, start, end in found:
            parts += text[done:start], self._placeholder(kind, text[start:end])
            done = end
        return "".join((*parts, text[done:]))

    def digits(self, digits: str, label: str = "") -> str:
        """A whole number in JSON: one of as many digits takes its place, which has no check digit.

        It begins with a 9, with which no card begins, so that a number stays a number.
        """
        found = self.found(digits, label)
        if not found or (found[0].start, found[0].end) != (0, len(digits)):
            return digits
        return stand_in(self._number(found[0].kind, digits), len(digits))

    def _placeholder(self, kind: str, value: str) -> str:
        return f"<{kind}-{self._number(kind, value)}>"

    def _number(self, kind: str, value: str) -> int:
        self.taken[kind] = self.taken.get(kind, 0) + 1
        known = self._numbers.setdefault(kind, {})
        return known.setdefault(same(kind, value), len(known) + 1)

    def distinct(self) -> dict[str, int]:
        """How many different values were taken out, by kind."""
        return {kind: len(known) for kind, known in self._numbers.items()}


def stand_in(number: int, length: int) -> str:
    """A whole number of a length that names another and passes no check of cards."""
    for second in "01":
        made = f"9{second}{number:0{max(length - 2, 1)}}"
        turned = [int(digit) for digit in reversed(made)]
        doubled = (sum(divmod(2 * digit, 10)) for digit in turned[1::2])
        if (sum(turned[::2]) + sum(doubled)) % 10:
            return made
    return made
