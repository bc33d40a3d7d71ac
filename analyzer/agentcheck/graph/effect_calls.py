"""Whether a call in a tool's body changes the world, by the table of such calls."""

from __future__ import annotations

from typing import Literal

from agentcheck.graph.effect_signs import BOOKS, SIGNS, SQL, Sign
from agentcheck.graph.effect_words import Weight
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.text import argument, dotted, last_name, spoken, string
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

Told = Literal["acts", "unsaid", "reads"]


def effect_of_call(
    tracer: Tracer, site: Site, call: E.Call, told: Told
) -> tuple[Weight, str] | None:
    """What a call does to the world; `told` is what the tool's name says of itself.

    A name that speaks of reading leaves only what runs or deletes what the model gives.
    """
    names = tracer.resolver.dotted(call.func, site.fn)
    for sign in SIGNS:
        if any(sign.pattern.search(name) for name in names):
            return (sign.weight, sign.says) if _counts(tracer, site, call, sign, told) else None
    return None if told == "reads" else _other_call(tracer, site, call, told)


def _counts(tracer: Tracer, site: Site, call: E.Call, sign: Sign, told: Told) -> bool:
    if sign.weight == "code" and _is_checked(tracer, site, call):
        return False
    if told == "reads":
        return sign.weight in ("code", "destructive") and _hands_on(tracer, site, call, sign)
    if sign.needs == "a command":
        return told == "acts" or not _is_fixed(tracer, _command(call), site.fn)
    return (
        sign.needs == "nothing"
        or told == "acts"
        or (sign.needs == "given" and _given(tracer, site, call))
    )


def _command(call: E.Call) -> E.Expr | None:
    return call.args[0].value if call.args else None


def _is_fixed(tracer: Tracer, command: E.Expr | None, fn: Fn) -> bool:
    """Whether a command is spelled out: the model gives no part of it."""
    if command is None:
        return False
    if isinstance(command, E.Items):
        return all(_is_fixed(tracer, item, fn) for item in command.items)
    if isinstance(command, E.Const):
        return True
    origins = tracer.local(command, fn)
    return bool(origins) and all(
        o.kind == "const"
        or (
            o.kind == "display"
            and not o.steps
            and isinstance(o.expr, E.Items)
            and _is_fixed(tracer, o.expr, o.fn)
        )
        for o in origins
    )


def _hands_on(tracer: Tracer, site: Site, call: E.Call, sign: Sign) -> bool:
    """Whether what the model gives is run or deleted as it is: whole, or in a shell's line."""
    command = _command(call)
    if command is None:
        return False
    if _from_model(tracer, command, site.fn):
        return True
    shell = argument(call, "shell")
    in_shell = isinstance(shell, E.Const) and shell.value is True
    names = tracer.resolver.dotted(call.func, site.fn)
    in_shell = in_shell or any(name.startswith("os.") for name in names)
    return (
        sign.needs == "a command"
        and in_shell
        and any(
            _from_model(tracer, part, site.fn)
            for origin in (command, *(o.expr for o in tracer.local(command, site.fn) if o.expr))
            for part in descend(origin)
            if isinstance(part, E.Name)
        )
    )


def _from_model(tracer: Tracer, expr: E.Expr, fn: Fn) -> bool:
    """Whether a value is one of the tool's own parameters and nothing else, `self` left out."""
    origins = tracer.local(expr, fn)
    return bool(origins) and all(
        o.kind == "param" and o.fn is fn and o.param not in ("self", "cls") for o in origins
    )


def _is_checked(tracer: Tracer, site: Site, call: E.Call) -> bool:
    """Whether what runs is looked at first, or runs where nothing is within its reach."""
    command = _command(call)
    if command is None:
        return False
    if any(_shuts_out(tracer, arg.value, site.fn) for arg in call.args[1:]):
        return True
    read = {e.id for e in descend(command) if isinstance(e, E.Name)}
    return any(
        isinstance(at.stmt, S.If)
        and at.stmt.span < site.at.stmt.span
        and _refuses(at.stmt)
        and read & {e.id for e in descend(at.stmt.test) if isinstance(e, E.Name)}
        and not _asks_if_empty(at.stmt.test)
        for at in tracer.program.statements(site.fn)
    )


def _asks_if_empty(test: E.Expr) -> bool:
    """`if not command:`, `if command is None:`; that looks at nothing."""
    match test:
        case E.Unary(op="not", operand=E.Name() | E.Call(func=E.Attr(attr="strip"))):
            return True
        case E.Compare(ops=("is" | "==",), rights=(E.Const(),)):
            return True
        case _:
            return False


def _refuses(stmt: S.If) -> bool:
    return bool(stmt.body) and isinstance(stmt.body[-1], (S.Return, S.Raise))


def _shuts_out(tracer: Tracer, expr: E.Expr, fn: Fn) -> bool:
    """`{"__builtins__": {}}` among the arguments of `eval`."""
    shown = [expr, *(o.expr for o in tracer.local(expr, fn) if o.expr is not None)]
    return any(
        isinstance(e, E.Entries)
        and any(
            entry.key is not None and string(entry.key) == "__builtins__" for entry in e.entries
        )
        for e in shown
    )


def _other_call(tracer: Tracer, site: Site, call: E.Call, told: Told) -> tuple[Weight, str] | None:
    last = last_name(call.func)
    writes = last == "open" and _opens_for_writing(call)
    if writes and (told == "acts" or _given(tracer, site, call)):
        return "change", "opens a file for writing"
    if last in ("execute", "executemany", "executescript") and call.args:
        found = SQL.match(_literal(tracer, call.args[0].value, site.fn))
        if found and not BOOKS.search(found[1] or ""):
            return "change", "changes a database"
    if last in ("send_message", "sendmail") and not tracer.calls.callees(site):
        return "message", "sends a message"
    return None


def _given(tracer: Tracer, site: Site, call: E.Call) -> bool:
    """Whether what is acted on comes from the caller, so from the model in the end."""
    base = call.func.value if isinstance(call.func, E.Attr) else None
    exprs = [*(a.value for a in call.args[:1]), *([base] if base is not None else [])]
    return any(
        o.kind == "param" and o.param != "self" for e in exprs for o in tracer.local(e, site.fn)
    )


def _literal(tracer: Tracer, expr: E.Expr, fn: Fn) -> str:
    text = spoken(expr)
    if text or not isinstance(expr, E.Name):
        return text
    bindings = tracer.program.scope(fn).get(expr.id, [])
    return next((s for b in bindings if b.expr is not None and (s := spoken(b.expr))), "")


def _opens_for_writing(call: E.Call) -> bool:
    plain = isinstance(call.func, E.Name) or dotted(call.func) in ("io.open", "codecs.open")
    mode = string(argument(call, "mode", 1 if plain else 0))
    return mode is not None and bool(set(mode) & set("wax+")) and len(mode) <= 3
