"""An ignore comment for one finding, where Python takes it for a comment."""

from __future__ import annotations

from agentcheck.fix.tree import compiles
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.facts import Ignore
from agentcheck.server.places import pieces
from agentcheck.source.decode import LINE_END, lines_of
from agentcheck.source.ignores import ignores_of


def ignored(text: str, place: CodeEvidence, rule: str) -> str | None:
    """The text with a comment that accepts what `rule` says of a place; None where none can stand.

    At the end of the first or last line, else on a line of its own above.
    """
    for line in dict.fromkeys((place.line, place.end_line)):
        made = _behind(text, line, rule)
        if made is not None and _accepts(made, line, rule) and _is_sound(made, text):
            return made
    made = _above(text, place.line, rule)
    return made if _accepts(made, place.line, rule) and _is_sound(made, text) else None


def _behind(text: str, line: int, rule: str) -> str | None:
    """With the rule in the comment of a line, a new one if there is none.

    None where that comment holds for a time only, or for every rule.
    """
    lines = pieces(text)
    if line > len(lines):
        return None
    body = LINE_END.sub("", lines[line - 1])
    end = lines[line - 1][len(body) :]
    known = _comment_on(text, line)
    if known is None:
        body = f"{body.rstrip()}  # agentcheck: ignore[{rule}]"
    elif known.rules and known.expires is None:
        close = body.index("]", known.span.column - 1)
        body = f"{body[:close]}, {rule}{body[close:]}"
    else:
        return None
    lines[line - 1] = body + end
    return "".join(lines)


def _above(text: str, line: int, rule: str) -> str:
    lines = pieces(text)
    below = lines[line - 1]
    indent = below[: len(below) - len(below.lstrip())]
    ends = LINE_END.search(text)
    lines.insert(line - 1, f"{indent}# agentcheck: ignore[{rule}]{ends[0] if ends else chr(10)}")
    return "".join(lines)


def _comment_on(text: str, line: int) -> Ignore | None:
    return next((one for one in ignores_of(lines_of(text)) if one.span.line == line), None)


def _is_sound(made: str, text: str) -> bool:
    """Whether it is still Python: behind a backslash the tokenizer finds a comment, Python none."""
    return compiles(made) or not compiles(text)


def _accepts(text: str, line: int, rule: str) -> bool:
    comment = _comment_on(text, line)
    return comment is not None and rule in comment.rules
