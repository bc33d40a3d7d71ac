"""Texts as a reader would take them, whatever case, letters, spacing or quotes hide in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from agentcheck.model.pattern import lazy_re
from agentcheck.whatif.policy.lookalikes import lookalikes

_MARKS = frozenset({"Mn", "Me", "Cf", "Cc", "Cs", "Co", "Cn"})
# Letters that are drawn as nothing: Hangul and Khmer fillers.
_FILLERS = "\u115f\u1160\u17b4\u17b5\u3164\uffa0"
_CONTROL = lazy_re(r"[\x00-\x08\x0e-\x1f\x7f]")
_FOREIGN = lazy_re(r"[^\x00-\x7f]+")
_BLANK = lazy_re(r"(?:[^\S\n]|\\\n|\u2800)+")
_APART = lazy_re(r"(?<!\S)\S(?:[^\S\n]{1,4}\S){5,}(?!\S)")
_DOTTED = lazy_re(r"(?<!\w)\w([._*|·-])\w(?:\1\w){2,}(?!\w)")
_IFS = lazy_re(r"\$\{?ifs\}?(?:\$\d)?")
_BRACES = lazy_re(r"\{([^{}\s,]{1,80}(?:,[^{}\s,]{0,80}){1,20})\}")
_QUOTES = str.maketrans("", "", "'\"`")
_ESCAPED = lazy_re(r"\\(?=[\w-])")
_SHELL = lazy_re(r"['\"`\\]|\$\{?ifs|,|/\*")
_COMMENT = lazy_re(r"/\*[^*]{0,80}\*/")


def plain(text: str) -> str:
    """Lower case, look-alikes as ASCII, nothing that is not seen, blanks as one; lines are kept."""
    return _BLANK.sub(" ", _seen(text))


def joined(text: str) -> str | None:
    """A text with words that were spelt out as `r m  - r f` or `d.r.o.p` put together; None for
    one without such words. Gaps that are wider than the others stay blanks."""
    seen = _seen(text)
    if not (_APART.search(seen) or _DOTTED.search(seen)):
        return None
    seen = _DOTTED.sub(lambda match: match[0].replace(match[1], ""), seen)
    return _BLANK.sub(" ", _APART.sub(_closed, seen))


def unquoted(text: str) -> str | None:
    """A plain text without the quotes, escapes and separators that a shell takes out, and without
    the comments that a database takes out; None where it has none."""
    if not _SHELL.search(text):
        return None
    spaced = _BRACES.sub(
        lambda match: match[1].replace(",", " "), _IFS.sub(" ", _COMMENT.sub(" ", text))
    )
    bare = _ESCAPED.sub("", spaced).translate(_QUOTES)
    return _BLANK.sub(" ", bare)


def views(text: str) -> Iterator[tuple[str, bool]]:
    """Each way to read a text, and whether blanks may be missing from it."""
    first = plain(text)
    yield first, False
    bare = unquoted(first)
    if bare is not None:
        yield bare, False
    close = joined(text)
    if close is not None:
        yield close, True


def _seen(text: str) -> str:
    """What is seen of a text, in lower case and ASCII's look."""
    if text.isascii():
        return _CONTROL.sub("", text).lower()
    table = lookalikes()
    bare = _CONTROL.sub("", _FOREIGN.sub(_drawn, unicodedata.normalize("NFKD", text)))
    return bare.translate(table).casefold().translate(table)


def _drawn(match: re.Match[str]) -> str:
    """The characters of a stretch outside ASCII that are drawn as something of their own."""
    return "".join(
        char
        for char in match[0]
        if unicodedata.category(char) not in _MARKS and char not in _FILLERS
    )


def _closed(match: re.Match[str]) -> str:
    gaps = [len(gap) for gap in re.findall(r"\s+", match[0])]
    least = min(gaps)
    return re.sub(r"\s+", lambda gap: "" if len(gap[0]) == least else " ", match[0])
