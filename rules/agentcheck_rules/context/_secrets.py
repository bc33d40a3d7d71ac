"""Whether a value is a key, a password or a token, by where it is read."""

from __future__ import annotations

import re

from agentcheck.rule import AgentGraph, E, Fn, Piece, dotted, lazy_re, read_key, string

_SECRET = lazy_re(
    r"^(?!(.*_)?(max|min|eos|bos|pad|unk|sep|stop|end|start|special|image|mask)_token$).*?"
    r"(^|_)(api_?key|secret(_?(access_?)?key)?|client_secret|passw(or)?d|passwd|passphrase|"
    r"(access|auth|bot|refresh|bearer|api|github|slack|session)_?token|token|private_key|"
    r"access_key|credentials?|connection_string|database_url)$",
    re.IGNORECASE,
)
_NAMED = lazy_re(
    r"(^|_)(api_?key|client_secret|passw(or)?d|passphrase|(access|auth|bearer|api)_?token|"
    r"private_key|secret_key)$"
)
_ENVIRON = lazy_re(r"(^|\.)(getenv|environ\.get|environ|config|decouple\.config|env)$")
_SETTINGS = lazy_re(
    r"(^|[._])(settings|config|conf|cfg|secrets|env|environ|credentials)(\(\))?$", re.IGNORECASE
)


def read_secret(graph: AgentGraph, piece: Piece) -> str | None:
    """The name under which a secret is read from the environment or a configuration."""
    expr, fn = piece.expr, piece.fn
    match expr:
        case E.Call(func=func, args=(first, *_)):
            name = string(first.value)
            if name and _SECRET.match(name) and _is_environment(graph, func, fn):
                return name
            return None
        case E.Index(index=E.Const(value=str() as name), value=base):
            return name if _SECRET.match(name) and _is_settings(base) else None
        case E.Attr(value=base, attr=name):
            return name if _SECRET.match(name) and _is_settings(base) else None
        case _:
            return None


def _is_environment(graph: AgentGraph, func: E.Expr, fn: Fn) -> bool:
    written = dotted(func) or ""
    names = graph.resolver.dotted(func, fn) | {written}
    if any(_ENVIRON.search(name) for name in names):
        return True
    return read_key(func) == "get" and isinstance(func, E.Attr) and _is_settings(func.value)


def _is_settings(base: E.Expr) -> bool:
    return bool(_SETTINGS.search(dotted(base) or ""))


def named_secret(piece: Piece) -> str | None:
    """A parameter that bears the name of a secret."""
    if not isinstance(piece.expr, E.Name) or not _NAMED.search(piece.expr.id):
        return None
    params = {p.name for p in piece.fn.facts.params}
    return piece.expr.id if piece.expr.id in params else None
