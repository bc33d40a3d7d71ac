"""What secrets and personal data look like: patterns, and a check where a pattern is not enough.

Keys have the prefixes that their issuers document, so that a text which merely resembles one is
left alone; most must hold a digit, for words joined by hyphens hold none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from agentcheck.model.pattern import lazy_re
from agentcheck.trace.digits import is_card, is_iban, is_labelled_phone, is_phone

_DIGIT = r"(?=[\w-]{0,200}\d)"
_LOCAL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-"
LABEL = r"\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}\\{0,3}[\"']?"
_ISSUED: tuple[tuple[str, str], ...] = (
    ("sk-", rf"(?<![\w-])sk-{_DIGIT}(?:[A-Za-z0-9]{{2,8}}-)?[A-Za-z0-9_-]{{16,}}"),
    ("ghp_", r"\bghp_[A-Za-z0-9]{30,}"),
    ("github_pat_", r"\bgithub_pat_\w{30,}"),
    ("glpat-", r"\bglpat-[\w-]{18,}"),
    ("xox", r"\bxox[abeoprs]-[\w-]{10,}"),
    ("AKIA", r"\bAKIA[A-Z0-9]{16}\b"),
    ("AIza", r"\bAIza[\w-]{35}"),
    ("GOCSPX-", r"\bGOCSPX-[\w-]{20,}"),
    ("hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    ("k_live_", r"\b[psr]k_live_[A-Za-z0-9]{16,}"),
    ("whsec_", r"\bwhsec_[A-Za-z0-9+/]{24,}"),
    ("gsk_", r"\bgsk_[A-Za-z0-9]{40,}"),
    ("xai-", rf"\bxai-{_DIGIT}[A-Za-z0-9]{{40,}}"),
    ("pplx-", rf"\bpplx-{_DIGIT}[A-Za-z0-9]{{32,}}"),
    ("tvly-", rf"\btvly-{_DIGIT}[A-Za-z0-9-]{{20,}}"),
    ("nvapi-", rf"\bnvapi-{_DIGIT}[\w-]{{40,}}"),
    ("csk-", rf"\bcsk-{_DIGIT}[A-Za-z0-9]{{40,}}"),
    ("r8_", r"\br8_[A-Za-z0-9]{32,}"),
    ("lsv2_", r"\blsv2_(?:pt|sk)_[0-9a-f]{16,}\w*"),
    ("pcsk_", r"\bpcsk_\w{40,}"),
    ("dapi", r"\bdapi[0-9a-f]{32}\b"),
    ("npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi-", r"\bpypi-AgE[\w-]{50,}"),
    ("SG.", r"\bSG\.[\w-]{20,24}\.[\w-]{40,}"),
    ("dop_v1_", r"\bdop_v1_[0-9a-f]{60,}"),
    ("shp", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    ("lin_api_", r"\blin_api_[A-Za-z0-9]{32,}"),
    ("ntn_", r"\bntn_[A-Za-z0-9]{40,}"),
    ("AGE-SECRET-KEY-1", r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
)
_PASSING: tuple[tuple[str, str], ...] = (
    ("gho_", r"\bgho_[A-Za-z0-9]{30,}"),
    ("ghu_", r"\bghu_[A-Za-z0-9]{30,}"),
    ("ghs_", r"\bghs_[A-Za-z0-9]{30,}"),
    ("ghr_", r"\bghr_[A-Za-z0-9]{30,}"),
    ("ASIA", r"\bASIA[A-Z0-9]{16}\b"),
    ("k_test_", r"\b[psr]k_test_[A-Za-z0-9]{10,}"),
    ("ya29.", r"\bya29\.[\w-]{30,}"),
    ("eyJ", r"(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,}\.[\w-]*"),
)


class Shape(NamedTuple):
    """A kind of secret, and where to seek it, for a pattern alone is slow in long texts.

    It is sought only at the `hints`: substrings of the text, or of its outline (see `outline`)
    where they are bytes. The pattern begins `before` characters in front of a hint, or, where
    `within` is given, at most that many characters around it, and `lead` in front, where given.
    `body` are the ASCII characters of which all in front of the hint is made, where that is so.
    Without hints all of the text is searched, an ASCII text only where its outline has
    one of `needs`, with blanks or without. `check` has the last word.
    """

    kind: str
    hints: tuple[str, ...] | tuple[bytes, ...]
    pattern: re.Pattern[str]
    check: Callable[[str], bool] | None = None
    before: int = 0
    within: int = 0
    lead: int = 0
    body: str = ""
    needs: tuple[bytes, ...] = ()


_DIGITS, _CAPITALS = b"0123456789", bytes(range(ord("A"), ord("Z") + 1))
_WORD = _DIGITS + _CAPITALS + _CAPITALS.lower() + b"_.-"
_OUTLINE = bytes.maketrans(_DIGITS + _CAPITALS + b"-", b"0" * 10 + b"A" * 26 + b" ")
_WORDS = bytes(ord("x") if byte in _WORD else ord(" ") for byte in range(256))
LEAST = 19
"""Characters that every issued key takes at least, all of them letters, digits, _ . or -."""


def outline(text: str) -> bytes:
    """The text, character by character: digits as 0, capitals as A, hyphens as blanks."""
    return text.encode("ascii", "replace").translate(_OUTLINE)


def words(text: str) -> Iterator[tuple[int, int]]:
    """Where the long words of a text stand, any of which may be a key."""
    flat = text.encode("ascii", "replace").translate(_WORDS)
    run = b"x" * LEAST
    at = flat.find(run)
    while at >= 0:
        end = flat.find(b" ", at)
        end = len(flat) if end < 0 else end
        yield at, end
        at = flat.find(run, end)


ISSUED: tuple[Shape, ...] = tuple(
    Shape(kind, (hint,), lazy_re(pattern), before=int(hint.startswith("k_")))
    for kind, known in (("key", _ISSUED), ("token", _PASSING))
    for hint, pattern in known
)
"""Keys that their prefix gives away, to be sought in long words."""
PREFIXES = lazy_re("|".join(re.escape(str(shape.hints[0])) for shape in ISSUED))

SURE: tuple[Shape, ...] = (
    Shape(
        "private-key",
        ("-----BEGIN ",),
        lazy_re(
            r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}KEY-----|\Z)",
            re.DOTALL,
        ),
    ),
    Shape(
        "key",
        ("hooks.slack.com/services/",),
        lazy_re(r"hooks\.slack\.com/services/([A-Z0-9]{1,20}/[A-Z0-9]{1,20}/\w{16,})"),
    ),
    Shape("token", ("earer ",), lazy_re(r"earer ([\w.~+/=-]{16,})")),
    Shape(
        "password",
        ("assw", "ASSW", "ecret", "ECRET", "pi_key", "PI_KEY", "piKey", "pi-key", "_token"),
        lazy_re(
            r"(?i:passw(?:or)?d|secret|api[_-]?key|(?:access|auth|refresh)_token)"
            rf"{LABEL}(?!https?://)([^\s\"'\\,;}}]{{6,}})"
        ),
        within=60,
    ),
    Shape(
        "email",
        ("@",),
        lazy_re(
            r"(?<![\w.+-])[A-Za-z0-9_][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
        ),
        within=600,
        lead=64,
        body=_LOCAL,
    ),
    Shape(
        "card",
        ("ard",),
        lazy_re(rf"ard[ _-]?(?i:number|num|no){LABEL}(\d(?:[ -]?\d){{12,18}})(?![\w-])"),
        is_card,
    ),
    Shape(
        "card",
        (b"0000 0000 0000 0000", b"0000 000000 00000"),
        lazy_re(r"(?<![\w.+/-])\d{4}([ -])(?:\d{4}\1\d{4}\1\d{4}|\d{6}\1\d{5})(?![\w-])"),
        is_card,
    ),
    Shape(
        "iban",
        (b"AA00",),
        lazy_re(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"),
        is_iban,
    ),
    Shape("phone", (b"+0",), lazy_re(r"(?<![\w.+])\+\d[\d ().-]{6,17}\d(?!\w)"), is_phone),
    Shape(
        "phone",
        ("hone", "obile", 'tel"', "tel:", "Tel"),
        lazy_re(
            r"(?:hone|obile|(?<![A-Za-z])[Tt]el)(?:[ _-]?(?i:number|no|nr))?\.?"
            rf"{LABEL}(\+?\(?\d[\d ().-]{{5,18}}\d)(?![\w.])"
        ),
        is_labelled_phone,
    ),
)
"""What is a secret or personal for certain, besides the issued keys."""

LIKELY: tuple[Shape, ...] = (
    Shape("password", ("://",), lazy_re(r"://([^\s/:@'\"]{0,99}:[^\s/@'\"]{1,200})(?=@)")),
    Shape("key", ("sk_", "pk_"), lazy_re(r"\b[ps]k_(?:live|test)_\w{10,}")),
    Shape("key", ("pk-", "rk-"), lazy_re(rf"\b[pr]k-{_DIGIT}[\w-]{{16,}}")),
    Shape("phone", ("+",), lazy_re(r"(?<![\w.])\+\d[\d ().-]{7,20}\d(?!\w)")),
    Shape(
        "phone",
        (),
        lazy_re(r"(?<![\w.])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-])"),
        needs=(b"000 0000", b"000.0000"),
    ),
    Shape("social-security", (b"000 00 0000",), lazy_re(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")),
    Shape(
        "card",
        (),
        lazy_re(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.])"),
        is_card,
        needs=(b"0" * 13,),
    ),
)
"""What is masked as well, though it is no proof that anything was recorded that should not be."""
