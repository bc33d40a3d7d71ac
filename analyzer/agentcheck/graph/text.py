"""Expressions back as short text, and as dotted names.

The two asked most, of most expressions of the target, tell kinds of node by `type(...) is`, which
takes a fifth of the time of `isinstance` or a pattern where it does not hold.
"""

from __future__ import annotations

from agentcheck.model import expr as E


def dotted(expr: E.Expr) -> str | None:
    """`a.b.c` for a chain of names and attributes; calls in the chain show as `()`; else None."""
    parts: list[str] = []
    while True:
        match expr:
            case E.Attr():
                parts.append(f".{expr.attr}")
                expr = expr.value
            case E.Call():
                parts.append("()")
                expr = expr.func
            case E.Await():
                expr = expr.value
            case E.Index() if not isinstance(expr.index, E.Slice):
                parts.append("[]")
                expr = expr.value
            case E.Name():
                return expr.id + "".join(reversed(parts))
            case _:
                return None


def last_name(expr: E.Expr) -> str | None:
    """The last name of a callee: `run` for `client.run`; subscripts looked through."""
    if type(expr) is E.Attr:
        return expr.attr
    if type(expr) is E.Name:
        return expr.id
    if type(expr) is E.Index or type(expr) is E.Await:
        return last_name(expr.value)
    return None


def string(expr: E.Expr | None) -> str | None:
    """The value of a string literal, else None."""
    return expr.value if type(expr) is E.Const and isinstance(expr.value, str) else None


def spoken(expr: E.Expr | None) -> str:
    """The literal text in a string, template, concatenation or `.format` call, in order."""
    match expr:
        case E.Const(value=str() as value):
            return value
        case E.Template():
            return "".join(spoken(p) for p in expr.parts if isinstance(p, E.Const))
        case E.Binary():
            return spoken(expr.left) + spoken(expr.right)
        case E.Call(func=E.Attr(value=value)):
            return spoken(value)
        case _:
            return ""


def argument(call: E.Call, keyword: str | None, position: int | None = None) -> E.Expr | None:
    """The argument given under a keyword or at a position; None when not given so."""
    for arg in call.args:
        if keyword is not None and arg.name == keyword:
            return arg.value
    if position is None or any(a.star == "*" for a in call.args[: position + 1]):
        return None
    plain = [a for a in call.args if a.name is None and not a.star]
    return plain[position].value if position < len(plain) else None


def has_spread(call: E.Call) -> bool:
    """Whether `**kwargs` is among the arguments, so that any keyword may be given."""
    return any(a.star == "**" for a in call.args)


_READING = frozenset({"get", "pop"})


def read_key(expr: E.Expr) -> str | None:
    """The key that an expression reads: attribute, string index, `.get("k")`, `getattr(x, "k")`."""
    if type(expr) is E.Attr:
        return expr.attr
    if type(expr) is E.Index:
        return string(expr.index)
    if type(expr) is not E.Call or not expr.args:
        return None
    func, args = expr.func, expr.args
    if type(func) is E.Attr:
        return string(args[0].value) if func.attr in _READING else None
    reads = type(func) is E.Name and func.id in ("getattr", "hasattr") and len(args) > 1
    return string(args[1].value) if reads else None
