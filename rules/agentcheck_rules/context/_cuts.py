"""Where a list of messages is cut at its old end, and what stands in such a list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import AgentGraph, E, Fn, Located, Place, S, Site, last_name, lazy_re
from agentcheck_rules.context._history import sent

LISTS = lazy_re(r"(^|[._])(messages?|msgs|(chat_?|message_?|conversation_?)?history|conversation"
                   r"|transcript|turns|input_items|contents)$", re.IGNORECASE)  # fmt: skip


class Cut(Struct, frozen=True):
    """A list of messages that loses its oldest part at `place`; `name` holds what is left.

    `source` is the list that was whole; the same, unless the rest is kept under another name.
    `sent` where the rest goes straight into a call that reaches a model.
    """

    fn: Fn
    name: str
    source: str
    place: Place
    at: Located
    sent: bool = False


def cuts(graph: AgentGraph, fn: Fn) -> Iterator[Cut]:
    """Every cut of a list that is named like a history, `x = x[-n:]` and what amounts to it."""
    for at in graph.program.statements(fn):
        for name, source, expr in _cut_by(at):
            if LISTS.search(name) and _matters(graph, fn, at, name, source):
                yield Cut(fn, name, source, fn.place(expr.span), at)
    for site, call in graph.program.calls(fn):
        for arg in call.args:
            kept = old_end(arg.value)
            if kept and LISTS.search(kept) and id(site.expr) in graph.drives.ends:
                yield Cut(fn, kept, kept, fn.place(arg.value.span), site.at, sent=True)


def _matters(graph: AgentGraph, fn: Fn, at: Located, name: str, source: str) -> bool:
    """Whether what is left is what the model gets: a name bound anew may only be shown."""
    if isinstance(at.stmt, S.Return):
        return _is_taken(graph, fn)
    bound_anew = isinstance(at.stmt, S.Assign) and isinstance(at.stmt.targets[0], E.Name)
    if not bound_anew or is_ring(at.stmt.value if isinstance(at.stmt, S.Assign) else None):
        return name == source
    return _goes_out(graph, fn, name) or (name == source and _is_returned(graph, fn, name))


def _is_returned(graph: AgentGraph, fn: Fn, name: str) -> bool:
    returned = (s.stmt.value for s in graph.program.statements(fn) if isinstance(s.stmt, S.Return))
    wholes = (i for v in returned for i in (v.items if isinstance(v, E.Items) else (v,)))
    return any(isinstance(e, E.Name) and e.id == name for e in wholes)


def _is_taken(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a caller puts the result in the place of the list: `messages = trim(messages)`."""
    for site in graph.calls.callers(fn)[:8]:
        given = {dotted_slot(a.value) for a in site.call.args} - {""}
        stmt = site.at.stmt
        if isinstance(stmt, S.Assign) and given & {whole(t) for t in stmt.targets}:
            return True
        if any(site.expr is a.value for s in _asking(graph, site.fn) for a in s.call.args):
            return True
    return False


def _asking(graph: AgentGraph, fn: Fn) -> list[Site]:
    return [s for s in graph.drives.sites.get(fn, ()) if isinstance(s.expr, E.Call)]


def _goes_out(graph: AgentGraph, fn: Fn, name: str) -> bool:
    return any(name in sent(graph, site) for site in _asking(graph, fn))


_CUTTING = frozenset({S.Assign, S.Return, S.Do, S.Delete})


def _cut_by(at: Located) -> Iterator[tuple[str, str, E.Expr]]:
    if type(at.stmt) not in _CUTTING:
        return
    match at.stmt:
        case S.Assign(targets=(target,), value=value) if value is not None:
            name, held = old_end(value), whole(target)
            if name and (held == name or LISTS.search(held or "")):
                yield held or name, name, value
            elif held and is_ring(value):
                yield held, held, value
        case S.Return(value=value) if value is not None:
            name = old_end(value)
            if name:
                yield name, name, value
        case S.Do(value=E.Call(func=E.Attr(attr=attr, value=base), args=args) as call):
            first = args[0].value if args else None
            if attr == "popleft" or (attr == "pop" and is_number(first, 0)):
                yield dotted_slot(base), dotted_slot(base), call
        case S.Delete(targets=(E.Index(value=base, index=index) as target,)):
            if is_number(index, 0) or (isinstance(index, E.Slice) and from_start(index)):
                yield dotted_slot(base), dotted_slot(base), target
        case _:
            return


def dotted_slot(expr: E.Expr) -> str:
    """`self.messages`, or nothing for what is no plain name."""
    if type(expr) is E.Name:
        return expr.id
    if type(expr) is E.Attr and type(expr.value) is E.Name:
        return f"{expr.value.id}.{expr.attr}"
    return ""


def whole(target: E.Expr) -> str | None:
    """`x` for `x` and `x[:]`."""
    if type(target) is E.Index and type(target.index) is E.Slice:
        return dotted_slot(target.value) or None
    return dotted_slot(target) or None


def old_end(value: E.Expr) -> str | None:
    """The list of which a value is the newer part alone: `x[-20:]`, `x[2:]`, `list(x[-20:])`."""
    while type(value) is E.Call and last_name(value.func) == "list" and value.args:
        value = value.args[0].value
    if type(value) is not E.Index or type(value.index) is not E.Slice:
        return None
    part = value.index
    kept = part.lower is None or part.upper is not None or part.step is not None
    return None if kept or is_number(part.lower, 0) else dotted_slot(value.value) or None


def is_ring(value: E.Expr | None) -> bool:
    """`deque(maxlen=30)` with a limit that is no None."""
    if type(value) is not E.Call or last_name(value.func) != "deque":
        return False
    given = [a.value for a in value.args if a.name == "maxlen"] or [
        a.value for a in value.args[1:2]
    ]
    return bool(given) and not (isinstance(given[0], E.Const) and given[0].value is None)


def is_number(expr: E.Expr | None, number: int) -> bool:
    """Whether an expression is one literal number."""
    return type(expr) is E.Const and expr.value == number and expr.value is not False


def from_start(part: E.Slice) -> bool:
    """`[:n]`, which deletes the oldest."""
    return part.upper is not None and (part.lower is None or is_number(part.lower, 0))
