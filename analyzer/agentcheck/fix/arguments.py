"""One more argument for a call, laid out as its other arguments are."""

from __future__ import annotations

import libcst as cst

_PLAIN = cst.SimpleWhitespace(" ")
_TIGHT = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def with_argument(call: cst.Call, keyword: str, value: cst.BaseExpression) -> cst.Call:
    """The call with `keyword=value` at its end: on a line of its own where each argument is."""
    new = cst.Arg(value, cst.Name(keyword), _TIGHT)
    if not call.args:
        return call.with_changes(args=[new])
    *others, last = call.args
    if last.keyword is None and not last.star and _is_bare_generator(last.value):
        inner = last.value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        last = last.with_changes(value=inner)
    comma = last.comma if isinstance(last.comma, cst.Comma) else None
    tail = comma.whitespace_after if comma else last.whitespace_after_arg
    between, tail = _spaces(call, tail, has_comma=comma is not None)
    before = cst.Comma(
        whitespace_before=comma.whitespace_before if comma else cst.SimpleWhitespace(""),
        whitespace_after=between,
    )
    last = last.with_changes(comma=before, whitespace_after_arg=cst.SimpleWhitespace(""))
    if comma:
        new = new.with_changes(comma=cst.Comma(whitespace_after=tail))
    else:
        new = new.with_changes(whitespace_after_arg=tail)
    return call.with_changes(args=[*others, last, new])


def _is_bare_generator(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.GeneratorExp) and not value.lpar


def _spaces(
    call: cst.Call, tail: cst.BaseParenthesizableWhitespace, *, has_comma: bool
) -> tuple[cst.BaseParenthesizableWhitespace, cst.BaseParenthesizableWhitespace]:
    """What stands between the last argument and the new one, and what behind the new one."""
    indent = _own_line(call)
    if not isinstance(tail, cst.ParenthesizedWhitespace):
        # Aligned below the first argument: `f(a,` and `  b)`.
        return (_break(indent) if indent is not None else _PLAIN), tail
    alone = len(call.args) > 1 or has_comma
    if indent is None or not alone:
        return _PLAIN, tail
    # A comment behind the last argument stays on its line.
    between = tail.with_changes(last_line=indent.last_line, indent=indent.indent)
    end = tail.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=())
    return between, end


def _own_line(call: cst.Call) -> cst.ParenthesizedWhitespace | None:
    """The break in front of the last argument, if it has a line of its own."""
    if len(call.args) == 1:
        before = call.whitespace_before_args
    else:
        comma = call.args[-2].comma
        before = comma.whitespace_after if isinstance(comma, cst.Comma) else _PLAIN
    return before if isinstance(before, cst.ParenthesizedWhitespace) else None


def _break(like: cst.ParenthesizedWhitespace) -> cst.ParenthesizedWhitespace:
    return like.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=())
