"""How a rule says what a fix does: edits made from the expressions and statements of the facts."""

from __future__ import annotations

from agentcheck.graph.handles import Fn
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.fix import Action, Edit
from agentcheck.model.location import Span


def source_of(fn: Fn, span: Span) -> str:
    """The source at a span of a function's file, its lines joined by line feeds."""
    lines = list(fn.file.lines[span.line - 1 : span.end_line])
    if not lines:
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def edit_replace(fn: Fn, span: Span, code: str) -> Edit:
    """The expression at a span becomes `code`."""
    return _edit("replace", fn, span, code)


def edit_keyword(fn: Fn, call: E.Call, keyword: str, code: str) -> Edit:
    """A call gets one more argument, `keyword=code`."""
    return _edit("keyword", fn, call.span, code, keyword)


def edit_rename(fn: Fn, arg: E.Arg, keyword: str) -> Edit:
    """An argument is given under another keyword."""
    return _edit("rename", fn, arg.span, keyword)


def edit_guard(fn: Fn, stmt: S.Stmt, error: str, code: str) -> Edit:
    """A simple statement goes into a `try` with one handler: `error` is "ValueError as error"."""
    return _edit("guard", fn, stmt.span, code, error)


def edit_handler(fn: Fn, stmt: S.Try, error: str, code: str) -> Edit:
    """A `try` gets one more handler, behind those it has."""
    return _edit("handler", fn, stmt.span, code, error)


def edit_before(fn: Fn, stmt: S.Stmt, code: str) -> Edit:
    """Statements go before another."""
    return _edit("before", fn, stmt.span, code)


def _edit(action: Action, fn: Fn, span: Span, code: str, name: str = "") -> Edit:
    return Edit(action, fn.file.path, span, source_of(fn, span), code, name)
