"""Secrets and personal data, starred so that a report can be passed on.

Each masked character becomes an asterisk: lengths stay, so columns of code still point right.
Texts that nothing points into have placeholders instead; see `prepare`.
Repetitions are bounded where a long hostile text would make a search quadratic.
"""

from __future__ import annotations

import re

from agentcheck.model.pattern import lazy_re
from agentcheck.trace.screen import screen

_KEEP = 4
_SECRET = lazy_re(
    r"""
    \b(?:sk|pk|rk)-(?=[\w-]{0,200}\d)[\w-]{16,}       # OpenAI, Anthropic and the like
    | \b[spr]k_(?:live|test)_\w{10,}                 # Stripe
    | \bgh[opsru]_\w{20,} | \bgithub_pat_\w{20,} | \bglpat-[\w-]{16,}
    | \bA[KS]IA[0-9A-Z]{16}\b                        # AWS
    | \bAIza[\w-]{30,} | \bhf_\w{20,} | \bnpm_\w{20,} | \bxox[a-z]-[\w-]{10,}
    | \beyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]{5,}     # JSON web token
    | (?i:\bbearer\s+)[\w.~+/=-]{16,}
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----(?s:.*?)(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    """,
    re.VERBOSE,
)
_IN_ADDRESS = lazy_re(r"(?<=://)[^\s/:@'\"]*:[^\s/@'\"]+(?=@)")
_ASSIGNED = lazy_re(
    r"""
    ((?i:password|passwd|secret|api_?key|access_?token|auth_?token)\w{0,40}
        \\?["']?\s{0,9}[:=]\s{0,9}\\?["'])
    ([^\s"'{}$<>\\]{8,})
    (?=\\?["'])
    """,
    re.VERBOSE,
)
_PERSONAL = lazy_re(
    r"""
    [\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}                  # e-mail
    | (?<![\w.])\+\d[\d ().-]{7,20}\d(?!\w)                       # telephone, international
    | (?<![\w.])(?:\(\d{3}\)\ ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-]) # and as written in America
    | (?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])                          # US social security
    """,
    re.VERBOSE,
)
_CARD = lazy_re(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.])")
# What begins or marks each of the above: most texts have none of it, and looking for that alone
# takes a hundredth of the time.
_may_be_secret = screen(
    r"[spr]k[-_]|gh[opsru]_|github_pat_|glpat-|A[KS]IA|AIza|hf_|npm_|xox[a-z]-|eyJ|PRIVATE KEY-",
    r"(?i:bearer)",
)
_may_be_in_address = screen(r"://[^\s/:@'\"]*:[^\s/@'\"]+@")
_may_be_assigned = screen(r"(?i:password|passwd|secret|api_?key|access_?token|auth_?token)")


def mask_secrets(text: str) -> str:
    """The text with keys, tokens and passwords starred but for their first characters."""
    if len(text) < 8:
        return text
    if _may_be_secret(text):
        text = _SECRET.sub(lambda match: _star(match[0], _KEEP), text)
    if _may_be_in_address(text):
        text = _IN_ADDRESS.sub(lambda match: _star(match[0], 0), text)
    if _may_be_assigned(text):
        text = _ASSIGNED.sub(lambda match: match[1] + _star(match[2], 0), text)
    return text


def mask_personal(text: str) -> str:
    """The text with e-mail addresses, telephone, social security and card numbers starred."""
    text = _PERSONAL.sub(lambda match: re.sub(r"\w", "*", match[0]), text)
    return _CARD.sub(lambda match: _star(match[0], 0) if _luhn(match[0]) else match[0], text)


def _star(text: str, keep: int) -> str:
    return text[:keep] + re.sub(r"[^\r\n]", "*", text[keep:])


def _luhn(text: str) -> bool:
    """ISO/IEC 7812-1 annex B: the check digit of payment cards."""
    digits = [int(char) for char in reversed(text) if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
