"""Text from the target is hostile: what makes it safe to show.

Everything here turns text into text and never fails. Formats with an escape of their own (workflow
commands, SARIF links) keep it in their module and build on `visible`.
"""

from __future__ import annotations

import json

from agentcheck.model.pattern import lazy_re

_HIDDEN = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff"
)
_UNSEEN = lazy_re(f"[\x00-\x1f{_HIDDEN}]")
_UNSEEN_IN_JSON = lazy_re(f"[{_HIDDEN}]")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_SPACE = lazy_re(r"[ \t\r\n\f\v]+")


def well_formed(text: str) -> str:
    """Lone surrogates, as of file names that are no UTF-8, as visible escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_plain(text: str) -> bool:
    """Whether a text is printable ASCII, as most are: shown as it is, a cell for each character."""
    return text.isascii() and text.isprintable()


def cells_of(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def visible(text: str) -> str:
    r"""Control, direction and invisible characters as escapes of Python: `\x1b`, `\u202e`, `\n`.

    They could drive a terminal, reorder a line or carry text that nobody sees.
    """
    if is_plain(text):
        return text
    return _UNSEEN.sub(lambda match: _escape(match[0]), text)


def json_text(data: bytes) -> str:
    """Encoded JSON as text in which invisible characters are JSON's own escapes."""
    return _UNSEEN_IN_JSON.sub(lambda match: json.dumps(match[0])[1:-1], data.decode())


def one_line(text: str) -> str:
    """A sentence on one line: white space as single blanks, the rest visible."""
    return visible(_SPACE.sub(" ", text).strip(" "))


def cells(text: str, tab: int = 4) -> list[str]:
    """What stands for each character in a code frame: itself, an escape, or `tab` blanks."""
    if is_plain(text):
        return list(text)
    return [" " * tab if char == "\t" else visible(char) for char in text]


def clip(text: str, limit: int) -> str:
    """At most about `limit` characters, saying how many are left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}... ({len(text) - limit} more characters)"


def _escape(char: str) -> str:
    number = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
