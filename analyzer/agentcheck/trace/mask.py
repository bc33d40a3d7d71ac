"""Secrets and personal data in the text of traces: find them, and take them out of what is shown.

Only shapes that are unmistakable: e-mail addresses, and keys with the prefixes their issuers
document (OpenAI, Anthropic, GitHub, GitLab, Slack, AWS, Google, Hugging Face, Stripe), JSON web
tokens, PEM private keys, bearer tokens and values given to a name such as `password`.
A "key" lives long, a "token" for hours or in tests alone. A placeholder names the kind and a
short digest, so that equal secrets stay equal in a report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2s
from typing import NamedTuple

CUT = 200
"""Characters of a record's text that a report shows."""


class Secret(NamedTuple):
    """A stretch of text that should not be shown: what it is, and the characters it takes."""

    kind: str
    start: int
    end: int


class _Shape(NamedTuple):
    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


# A shape is searched only where one of its hints occurs: `in` is some hundred times faster.
_SHAPES = tuple(
    _Shape(kind, hints, re.compile(pattern, flags))
    for kind, hints, pattern, flags in (
        (
            "private-key",
            ("-----BEGIN ",),
            r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}KEY-----|\Z)",
            re.DOTALL,
        ),
        ("key", ("sk-",), r"(?<![\w-])sk-(?:[A-Za-z]{2,8}-)?[A-Za-z0-9_-]{16,}", 0),
        ("key", ("ghp_",), r"\bghp_[A-Za-z0-9]{30,}", 0),
        ("token", ("gho_", "ghu_", "ghs_", "ghr_"), r"\bgh[ousr]_[A-Za-z0-9]{30,}", 0),
        ("key", ("github_pat_",), r"\bgithub_pat_\w{30,}", 0),
        ("key", ("glpat-",), r"\bglpat-[\w-]{18,}", 0),
        ("key", ("xox",), r"\bxox[abeoprs]-[\w-]{10,}", 0),
        ("key", ("AKIA",), r"\bAKIA[A-Z0-9]{16}\b", 0),
        ("token", ("ASIA",), r"\bASIA[A-Z0-9]{16}\b", 0),
        ("key", ("AIza",), r"\bAIza[\w-]{35}", 0),
        ("key", ("hf_",), r"\bhf_[A-Za-z0-9]{30,}", 0),
        ("key", ("k_live_",), r"\b[sr]k_live_[A-Za-z0-9]{16,}", 0),
        ("token", ("k_test_",), r"\b[sr]k_test_[A-Za-z0-9]{16,}", 0),
        ("token", ("eyJ",), r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", 0),
        ("token", ("earer ",), r"(?<=earer )[\w.~+/-]{16,}=*", 0),
        (
            "password",
            ("assw", "ASSW", "ecret", "ECRET", "pi_key", "PI_KEY", "piKey", "pi-key"),
            r"(?i:passw(?:or)?d|secret|api[_-]?key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([^\s\"',;}]{6,})",
            0,
        ),
        (
            "email",
            ("@",),
            r"(?<![\w.+-])[A-Za-z0-9_][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b",
            0,
        ),
    )
)


def find_secrets(text: str, kinds: frozenset[str] | None = None) -> Iterator[Secret]:
    """Every secret in a text, of some kinds or of all; stretches may overlap."""
    for shape in _SHAPES:
        if kinds is not None and shape.kind not in kinds:
            continue
        for hint in shape.hints:
            if hint in text:
                for match in shape.pattern.finditer(text):
                    yield Secret(shape.kind, *match.span(match.lastindex or 0))
                break


def mask(text: str) -> str:
    """The text with a placeholder such as `<email:1f0c>` for each secret."""
    parts: list[str] = []
    done = 0
    for secret in sorted(find_secrets(text), key=lambda s: (s.start, -s.end)):
        if secret.start >= done:
            parts += text[done : secret.start], _placeholder(secret, text)
            done = secret.end
    return "".join((*parts, text[done:])) if parts else text


def excerpt(text: str, start: int = 0) -> str:
    """About CUT characters of a text from `start` on, secrets masked before it is cut."""
    window = text[start : start + 4 * CUT]
    if len(text) > start + 4 * CUT:
        window = window[: max(window.rfind(" "), CUT)]  # half a secret has no shape
    shown = mask(window)
    return shown if len(shown) <= CUT else f"{shown[: CUT - 1]}\N{HORIZONTAL ELLIPSIS}"


def _placeholder(secret: Secret, text: str) -> str:
    digest = blake2s(text[secret.start : secret.end].encode(errors="replace"), digest_size=2)
    return f"<{secret.kind}:{digest.hexdigest()}>"
