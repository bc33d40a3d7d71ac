"""Numbers that carry their own proof: cards, bank accounts and telephone numbers.

The libraries that know the rules of each country are imported when a text first looks like it.
"""

from __future__ import annotations

from functools import cache

from agentcheck.model.pattern import lazy_re

_DATE = lazy_re(r"\d{4}-\d{2}-\d{2}|\d+\.\d+")
# ISO/IEC 7812 ranges that the schemes publish: Visa, Mastercard, American Express, Discover,
# Diners Club, JCB, each with the lengths in use.
_ISSUERS = lazy_re(
    r"4\d{12}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}"
)


def is_card(text: str) -> bool:
    """Whether a number is one that a card scheme issues, and its check digit fits (Luhn)."""
    digits = only_digits(text)
    return _ISSUERS.fullmatch(digits) is not None and len(set(digits)) > 1 and _luhn(digits)


def is_iban(text: str) -> bool:
    """Whether the check digits (mod 97), the length and the country's own form fit."""
    from stdnum import iban

    return bool(iban.is_valid(text))


@cache
def is_phone(text: str) -> bool:
    """Whether a number in international form, with its plus sign, is in use in its country."""
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(text))
    except phonenumbers.NumberParseException:
        return False


def is_labelled_phone(text: str) -> bool:
    """Whether what stands under the name of a telephone may be one; its country is not known."""
    if text.startswith("+"):
        return is_phone(text)
    digits = only_digits(text)
    written = len(digits) >= 9 or len(digits) < len(text)
    return 7 <= len(digits) <= 15 and written and _DATE.fullmatch(text) is None


def only_digits(text: str) -> str:
    """The digits of a text."""
    return "".join(filter(str.isdecimal, text))


def _luhn(digits: str) -> bool:
    """ISO/IEC 7812-1 annex B: the check digit of payment cards."""
    turned = [int(digit) for digit in reversed(digits)]
    doubled = (sum(divmod(2 * digit, 10)) for digit in turned[1::2])
    return (sum(turned[::2]) + sum(doubled)) % 10 == 0
