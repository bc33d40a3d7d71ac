"""Copies of the statement with which code answers a tool call, with other content.

It is `container.append(message)` in a loop over tool calls, or `return message` in a function for
one call; the message holds the id of the call.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import E, Fn, S, Span, descend, source_of, statements_below, string
from agentcheck_rules._bound_before import BoundBefore

_IDS = ("tool_call_id", "tool_use_id", "call_id")
_CONTENTS = ("content", "output")
_NEEDED = frozenset({*_IDS, "role", "type"})
_PUTS = frozenset({"append", "put", "put_nowait", "add"})
WIDTH, INDENT = 88, 4  # of the formatters' lines, and of a handler's body


class Answer(Struct, frozen=True):
    """A statement, the message in it, and what stands around that.

    `parts` are the entries or arguments of the message: the key, the value, the span of both.
    """

    stmt: S.Do | S.Return
    value: E.Expr
    message: E.Expr
    parts: tuple[tuple[str, E.Expr, Span], ...]


def answers_in(loop: S.For) -> Iterator[Answer]:
    """The statements in a loop that put an answer to the call it is at somewhere."""
    targets = {e.id for e in descend(loop.target) if isinstance(e, E.Name)}
    for stmt in statements_below(loop):
        if isinstance(stmt, S.Do) and isinstance(call := stmt.value, E.Call):
            puts = isinstance(call.func, E.Attr) and call.func.attr in _PUTS
            if puts and len(call.args) == 1:
                yield from _messages(stmt, call, targets)


def answers_of(fn: Fn) -> Iterator[Answer]:
    """The statements of a function that return an answer to the call it was given."""
    params = {p.name for p in fn.facts.params}
    for top in fn.facts.body:
        for stmt in (top, *statements_below(top)):
            if isinstance(stmt, S.Return) and stmt.value is not None:
                yield from _messages(stmt, stmt.value, params)


def _messages(stmt: S.Do | S.Return, value: E.Expr, names: set[str]) -> Iterator[Answer]:
    """The messages in a value for an id that is read from one of some names."""
    for expr in descend(value):
        parts = tuple(_parts(expr))
        if any(key in _IDS and _is_of(names, given) for key, given, _ in parts):
            yield Answer(stmt, value, expr, parts)


def copied(fn: Fn, answer: Answer, known: BoundBefore, content: str) -> tuple[int, str] | None:
    """How many parts are left out of the message, and the statement with other content.

    A part is left out where it needs a name without a value yet. None where that would be one
    which every answer needs, or where the statement is not written plainly.
    """
    text = source_of(fn, answer.stmt.span)
    kept = [known.knows(value) or key in _CONTENTS for key, value, _ in answer.parts]
    slots = [value for key, value, _ in answer.parts if key in _CONTENTS]
    wanted = any(key in _NEEDED and not k for (key, *_), k in zip(answer.parts, kept, strict=True))
    if "#" in text or '"""' in text or len(slots) != 1 or wanted:
        return None
    if not all(known.knows(e) for e in _around(answer)):
        return None
    changes = [(slots[0].span, content), *((span, "") for span in _cuts(answer, kept))]
    new = _dedented(fn, answer, _changed(text, answer.stmt.span, changes))
    if "\n" not in new and answer.stmt.span.column + INDENT + len(new) > WIDTH:
        new = _spread(fn, answer, kept, content) or new
    return kept.count(False), new


def _is_of(names: set[str], value: E.Expr) -> bool:
    return any(isinstance(e, E.Name) and e.id in names for e in descend(value))


def _parts(expr: E.Expr) -> Iterator[tuple[str, E.Expr, Span]]:
    match expr:
        case E.Entries(entries=entries) if all(e.key is not None for e in entries):
            for key, value in ((e.key, e.value) for e in entries):
                if key is not None:
                    yield string(key) or "", value, _from(key.span, value.span)
        case E.Call(args=args) if all(a.name for a in args):
            yield from ((a.name or "", a.value, a.span) for a in args)
        case _:
            return


def _from(first: Span, last: Span) -> Span:
    return Span(first.line, first.column, last.end_line, last.end_column)


def _around(answer: Answer) -> Iterator[E.Expr]:
    """The names in the statement outside the message: the container, entries around it."""
    inside = {id(e) for e in descend(answer.message)}
    for expr in descend(answer.value):
        if id(expr) not in inside and isinstance(expr, E.Name):
            yield expr


def _cuts(answer: Answer, kept: list[bool]) -> Iterator[Span]:
    """What goes with the parts that are left out: each up to the next, the last ones with the
    comma in front of them."""
    spans = [span for *_, span in answer.parts]
    last = max(i for i, keep in enumerate(kept) if keep)
    for i, keep in enumerate(kept[:last]):
        if not keep:
            here, after = spans[i], spans[i + 1]
            yield Span(here.line, here.column, after.line, after.column)
    if last + 1 < len(spans):
        here, end = spans[last], spans[-1]
        yield Span(here.end_line, here.end_column, end.end_line, end.end_column)


def _spread(fn: Fn, answer: Answer, kept: list[bool], content: str) -> str | None:
    """The statement with each part of its message on a line of its own, as formatters do it."""
    parts = []
    for (key, value, span), keep in zip(answer.parts, kept, strict=True):
        name = Span(span.line, span.column, value.span.line, value.span.column)
        end = source_of(fn, name) + content if key in _CONTENTS else source_of(fn, span)
        parts += [f"    {end},"] if keep else []
    call = answer.message if isinstance(answer.message, E.Call) else None
    begin, end = (f"{source_of(fn, call.func.span)}(", ")") if call else ("{", "}")
    lines = [begin, *parts, end]
    match answer.value:
        case value if value is answer.message and isinstance(answer.stmt, S.Return):
            lines[0] = f"return {begin}"
        case E.Call(func=func, args=(only,)) if only.value is answer.message:
            inner = (f"    {line}" for line in lines)
            lines = [f"{source_of(fn, func.span)}(", *inner, ")"]
        case _:
            return None
    return "\n".join(lines)


def _changed(text: str, whole: Span, changes: list[tuple[Span, str]]) -> str:
    """The source of a span with other source at some spans inside it."""
    starts = [0]
    for line in text.split("\n")[:-1]:
        starts.append(starts[-1] + len(line) + 1)

    def offset(line: int, column: int) -> int:
        first = whole.column if line == whole.line else 1
        return starts[line - whole.line] + column - first

    for span, new in sorted(changes, key=lambda c: c[0], reverse=True):
        start, end = offset(span.line, span.column), offset(span.end_line, span.end_column)
        text = text[:start] + new + text[end:]
    return text


def _dedented(fn: Fn, answer: Answer, text: str) -> str:
    """The lines after the first without the indentation of the statement."""
    line = fn.file.lines[answer.stmt.span.line - 1]
    indent = line[: len(line) - len(line.lstrip())]
    first, *more = text.split("\n")
    return "\n".join([first.rstrip(), *(other.removeprefix(indent).rstrip() for other in more)])
