"""Addresses of git repositories: told from paths, and shown without passwords."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

_SCHEMES = ("https", "http", "ssh", "git", "file")
_URL = re.compile(r"(?:git\+)?(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>\S+)")
_HELPER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*::")
# As git has it: a colon before the first slash. One letter before it is a drive of Windows.
_SCP = re.compile(r"(?:[^@/:\s]+@)?[A-Za-z0-9][A-Za-z0-9.-]+:(?!//)[^\s:]\S*")


class AddressError(Exception):
    """What looks like an address and is none that can be cloned; the message says why."""


class Address(NamedTuple):
    """`where` to clone from, the branch or tag `ref` ("" for the default), and how it is `shown`:
    without a password, the reference behind a #."""

    where: str
    ref: str
    shown: str


def parsed(text: str) -> Address | None:
    """The address in a text such as `https://host/owner/name.git#branch`; None for a path.

    Raises AddressError for a scheme that is not cloned from, and for a reference that is none.
    """
    if _HELPER.match(text):
        raise AddressError(f"{text}: helpers of git's own are not called; give a plain address")
    url = _URL.fullmatch(text)
    if url is None and _SCP.fullmatch(text) is None:
        return None
    if url is not None and url["scheme"].lower() not in _SCHEMES:
        known = ", ".join(_SCHEMES)
        raise AddressError(f"{_shown(text)}: {url['scheme']} is none of the schemes {known}")
    where, _, ref = text.removeprefix("git+").partition("#")
    if ref.startswith("-") or ".." in ref:
        raise AddressError(f'{_shown(where)}: "{ref}" is no name of a branch or tag')
    return Address(where, ref, f"{_shown(where)}#{ref}" if ref else _shown(where))


def without_user(text: str, where: str) -> str:
    """What git says of an address, without the password in it."""
    user, at, _ = where.partition("://")[2].partition("/")[0].rpartition("@")
    return text.replace(f"{user}@", "") if at else text


def _shown(where: str) -> str:
    """An address without the password, or the token in the place of a name."""
    try:
        parts = urlsplit(where)
    except ValueError:
        raise AddressError("not a valid address; check its brackets") from None
    user, at, host = parts.netloc.rpartition("@")
    if not at:
        return where
    kept = f"{user}@" if parts.scheme == "ssh" and ":" not in user else ""
    return urlunsplit(parts._replace(netloc=f"{kept}{host}"))
