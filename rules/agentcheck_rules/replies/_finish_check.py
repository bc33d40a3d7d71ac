"""The fix that looks at a reply's finish reason before its content is taken."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Edit,
    Fix,
    Reply,
    S,
    Site,
    argument,
    descend,
    edit_before,
    own_exprs,
    read_key,
    source_of,
    string,
)
from agentcheck_rules._bound_before import free_name
from agentcheck_rules.replies._reply import Asked

WIDEST = 70  # characters of a test on one line


class _Check(Struct, frozen=True):
    """A test to put in front of a place; `read` is what it looks at, `root` the name in that."""

    edit: Edit
    site: Site
    read: str
    root: str


def finish_check(graph: AgentGraph, asked: Asked) -> Fix | None:
    """A test of the reason in front of every place that takes the content; it raises.

    None where one of the places has no name for the reply, or is no statement of its own.
    """
    checks = list[_Check]()
    for reply in asked.replies:
        sites = reply.reductions()
        made = [_check(graph, reply, site) for site in sites]
        known = [check for check in made if check is not None]
        if not sites or len(known) < len(sites):
            return None
        checks += [c for c in known if not any(_covers(graph, other, c) for other in known)]
    edits = {(c.edit.file, c.edit.span): c.edit for c in checks}
    what = "Raise RuntimeError with the reason where the reply was cut or held back."
    return Fix("unsafe", what, tuple(edits.values()))


def _covers(graph: AgentGraph, first: _Check, later: _Check) -> bool:
    """Whether one test of a reply stands in front of another wherever that is reached."""
    one, other = first.site, later.site
    if one is other or one.fn is not other.fn or first.read != later.read:
        return False
    around = [(id(ctx.stmt), ctx.part, ctx.index) for ctx in other.at.around()]
    mine = [(id(ctx.stmt), ctx.part, ctx.index) for ctx in one.at.around()]
    lines = range(one.at.stmt.span.line, other.at.stmt.span.line)
    bound = (b.at for b in graph.program.scope(one.fn).get(first.root, []) if b.at is not None)
    again = any(at.stmt.span.line in lines for at in bound)
    return bool(lines) and around[len(around) - len(mine) :] == mine and not again


def _check(graph: AgentGraph, reply: Reply, site: Site) -> _Check | None:
    names = next((r.names for a in reply.reads.values() for r in a if r.site is site), None)
    if names is None or not _is_plain(site) or _is_event(reply, names):
        return None
    for path in reply.paths.by_about["finish"]:
        base = _part(site.expr, names, path[:-1])
        name = free_name(graph, site.fn, path[-1], f"reply_{path[-1]}", "why_it_ended")
        if base is not None and name is not None and _is_ready(site, base):
            values, read = _values(reply, path[-1]), _read(site, base, path[-1])
            edit = edit_before(site.fn, site.at.stmt, _test(name, read, values))
            return _Check(edit, site, read, _root(base)) if values else None
    return None


def _root(base: E.Expr) -> str:
    return next((e.id for e in descend(base) if isinstance(e, E.Name)), "")


def _is_event(reply: Reply, names: tuple[str, ...]) -> bool:
    """Whether what is read is an event of a stream, most of which have no reason.

    The chunks of chat completions have the field from the first to the last.
    """
    data = reply.call.data
    given = argument(reply.call.call, data.stream_keyword) if data.stream_keyword else None
    streams = given is not None and not (isinstance(given, E.Const) and not given.value)
    return data.form != "reply" or names[0] == "delta" or (streams and names[0] != "choices")


def _values(reply: Reply, key: str) -> tuple[str, ...]:
    """The values that tell of a reply which is not whole; a status is no reason."""
    data = reply.call.data
    values = tuple(dict.fromkeys((*data.truncated, *data.blocked)))
    return tuple(v for v in values if v == "incomplete") if key == "status" else values


def _test(name: str, read: str, values: tuple[str, ...]) -> str:
    wanted = ", ".join(f'"{value}"' for value in values)
    found = f"in ({wanted})" if len(values) > 1 else f"== {wanted}"
    if len(found) > WIDEST:
        found = "in (\n" + "".join(f'    "{value}",\n' for value in values) + ")"
    return (
        f"{name} = {read}\n"
        f"if {name} {found}:\n"
        f'    raise RuntimeError(f"the reply is not whole: {{{name}}}")\n'
    )


def _is_plain(site: Site) -> bool:
    """Whether something can stand in front of the statement and is run as often as it."""
    stmt = site.at.stmt
    if isinstance(stmt, S.If):
        up = site.at.up
        return up is None or not (up.part == "orelse" and isinstance(up.stmt, S.If))
    return isinstance(stmt, (S.Assign, S.AugAssign, S.Do, S.Return, S.For))


def _part(expr: E.Expr, names: tuple[str, ...], wanted: tuple[str, ...]) -> E.Expr | None:
    """The part of a chain that has been read through just the wanted names."""
    if names[: len(wanted)] != wanted or len(names) <= len(wanted):
        return None
    left, here = list(names), expr
    while tuple(left) != wanted:
        if not isinstance(here, (E.Attr, E.Index)) or not left:
            return None
        if read_key(here) is not None and read_key(here) != left.pop():
            return None
        here = here.value
    return here


def _is_ready(site: Site, base: E.Expr) -> bool:
    """Whether reading below a part does nothing else and cannot fail where the code does not.

    That is names, attributes and fixed indices. Where the statement may leave the part out, the
    name of the reply alone is known to be there.
    """
    parts = list(descend(base))
    if not all(isinstance(p, (E.Name, E.Attr, E.Index, E.Const, E.Unary)) for p in parts):
        return False
    inner = {name for own in own_exprs(site.at.stmt) for e in descend(own) for name in _binds(e)}
    own = {p.id for p in parts if isinstance(p, E.Name)}
    return not own & inner and (site.always or isinstance(base, E.Name))


def _binds(expr: E.Expr) -> Iterator[str]:
    """The names that a comprehension or lambda binds, which stand for nothing outside it."""
    match expr:
        case E.Comp(loops=loops):
            yield from (e.id for x in loops for e in descend(x.target) if isinstance(e, E.Name))
        case E.Lambda(params=params):
            yield from (param.name for param in params)
        case _:
            return


def _read(site: Site, base: E.Expr, key: str) -> str:
    """The key read from a part as its other keys are; no KeyError where a reply lacks it."""
    text = source_of(site.fn, base.span)
    keyed = any(isinstance(e, E.Index) and string(e.index) is not None for e in descend(site.expr))
    return f'{text}.get("{key}")' if keyed else f"{text}.{key}"
