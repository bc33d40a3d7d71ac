"""Bytes of a Python file to text, as Python itself would read them."""

from __future__ import annotations

import codecs
import io
import tokenize
from itertools import accumulate

from agentcheck.model.pattern import lazy_re
from agentcheck.source.errors import Unreadable

LINE_END = lazy_re(r"\r\n?|\n")

# Text codecs that Python would accept in a cookie, yet whose output is not the file as people
# see it, or takes quadratic time to make.
_ODD_CODECS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}


def decode(data: bytes) -> str:
    """The text of a source file: PEP 263 cookie, UTF-8 byte order mark (dropped), else UTF-8.

    Line ends stay as they are. Raises Unreadable with a one-line reason.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Unreadable("encoded as UTF-16, which Python does not read as source")
    if b"\0" in data:
        raise Unreadable("a binary file: it holds NUL bytes")
    encoding = encoding_of(data)
    try:
        text = data.decode(encoding)
        text.encode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"line {line} is not valid {encoding}") from None
    except (LookupError, UnicodeError, ValueError) as error:
        raise Unreadable(f"cannot be decoded as {encoding}: {_first_line(error)}") from None
    if "\0" in text:
        raise Unreadable("a binary file: it holds NUL characters")
    return text


def lines_of(text: str) -> tuple[str, ...]:
    """The lines without their ends, split where Python and LibCST split: `\\n`, `\\r\\n`, `\\r`."""
    lines = LINE_END.split(text) if "\r" in text else text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(lines)


def starts_of(text: str) -> list[int]:
    """Where each line starts, in characters; where the text ends in a line end, also behind it."""
    if "\r" in text:
        return [0, *(end.end() for end in LINE_END.finditer(text))]
    lines = text.split("\n")
    del lines[-1]
    return [0, *accumulate([len(line) + 1 for line in lines])]


def encoding_of(data: bytes) -> str:
    """The codec of a source file; "utf-8-sig" for one that begins with a byte order mark.

    Raises Unreadable for a cookie that names none.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        name = codecs.lookup(encoding).name
    except (SyntaxError, LookupError, ValueError) as error:
        raise Unreadable(f"no usable encoding: {_first_line(error)}") from None
    if name in _ODD_CODECS:
        raise Unreadable(f"no usable encoding: {name} is not read as source")
    return encoding


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
