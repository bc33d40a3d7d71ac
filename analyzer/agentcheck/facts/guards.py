"""What makes an import optional: a handler of ImportError, a suppress, a TYPE_CHECKING test."""

from __future__ import annotations

from agentcheck.model.expr import Attr, Call, Expr, Items, Logic, Name

_CATCHES = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def saves_import(kind: Expr | None) -> bool:
    """Whether a handler of this type catches a failing import; None is a bare `except`."""
    if isinstance(kind, Items):
        return any(saves_import(item) for item in kind.items)
    return kind is None or _last_name(kind) in _CATCHES


def suppresses(value: Expr) -> bool:
    """Whether a `with` item is `contextlib.suppress` of an import's failure."""
    if not isinstance(value, Call) or _last_name(value.func) != "suppress":
        return False
    return any(saves_import(arg.value) for arg in value.args)


def checks_types(test: Expr) -> bool:
    """Whether a test is true for type checkers alone."""
    if isinstance(test, Logic) and test.op == "and":
        return any(checks_types(value) for value in test.values)
    return _last_name(test) == "TYPE_CHECKING"


def _last_name(expr: Expr) -> str | None:
    if isinstance(expr, Attr):
        return expr.attr
    return expr.id if isinstance(expr, Name) else None
