"""Text from the target as Markdown (CommonMark and GitHub's) that shows it and does nothing else.

No markup, link, mention, issue reference, HTML or table cell comes out of it; the code spans that
a sentence has of its own are kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentcheck.model.pattern import lazy_re
from agentcheck.report.escape import clip, one_line, visible

_MOST = 2_000
SPAN = lazy_re(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_MARKUP = lazy_re(r"[\\`*\[\]~$]|(?<![^\W_])_|_(?![^\W_])")
_OPENING = lazy_re(r"^(?:(\d+)(?=[.)](?:\s|$))|(?=[#+=:-](?:[\s#=:-]|$)))")
# GitHub makes links of these whatever stands before them: a comment in their middle stops it.
_REFERENCE = lazy_re(r"@(?=\w)|#(?=\d)|:(?=//)|(?i:\bwww)(?=\.)|(?i:\bgh)(?=-\d)")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def prose(text: str, limit: int = _MOST) -> str:
    """A sentence on one line, about `limit` characters of it at most."""
    made, end = [], 0
    line = clip(one_line(text), limit)
    for match in SPAN.finditer(line):
        made += [_plain(line[end : match.start()]), code_span(match[2])]
        end = match.end()
    return _open("".join([*made, _plain(line[end:])]))


def brief(text: str, limit: int = 300) -> str:
    """As prose, but shorter: for lists and summaries."""
    return prose(text, limit)


def cell(text: str, limit: int = _MOST) -> str:
    """A sentence within a table, where a bar would end the cell even in a code span."""
    line = clip(one_line(text), limit)
    return _open(_plain(line)).replace("|", "&#124;") if "|" in line else prose(text, limit)


def code_span(text: str, limit: int = 240) -> str:
    """A code span on one line, its ticks longer than any run inside."""
    line = clip(visible(text.strip(" \t\r\n\f\v")), limit)
    if not line.strip():
        return "(empty)"
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def code_spans(texts: Sequence[str], most: int = 8) -> str:
    """The first texts as code spans, and how many more there are."""
    more = len(texts) - most
    shown = ", ".join(code_span(text, 120) for text in texts[:most])
    return shown + (f" and {more} more" if more > 0 else "")


def fence(text: str, language: str) -> str:
    """A fenced block, its fence longer than any run of backticks inside."""
    lines = [visible(line.expandtabs(4)) for line in text.rstrip().split("\n")]
    ticks = "`" * max(3, max(map(_longest_run, lines)) + 1)
    return "\n".join([ticks + language, *lines, ticks])


def _plain(text: str) -> str:
    text = _MARKUP.sub(lambda match: "\\" + match[0], text)
    text = re.sub("[&<>]", lambda match: _ENTITIES[match[0]], text)
    return _REFERENCE.sub(lambda match: match[0] + "<!-- -->", text)


def _open(text: str) -> str:
    """What would begin a heading, a list or a rule at the start of a line begins none."""
    return _OPENING.sub(lambda match: (match[1] or "") + "\\", text)


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
