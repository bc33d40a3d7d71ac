"""Places that open, write or delete a file, and how paths are put together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Site,
    argument,
    code_kind,
    lazy_re,
    string,
)

Does = Literal["writes", "deletes", "reads"]
_OPENS = frozenset({"open", "builtins.open", "io.open", "codecs.open", "aiofiles.open"})
_DELETES = frozenset(
    "os.remove os.unlink os.rmdir os.removedirs shutil.rmtree aiofiles.os.remove".split()
)
_MOVES = lazy_re(r"^(os\.(rename|replace)|shutil\.(move|copy|copy2|copyfile|copytree))$")
_METHODS: dict[str, Does] = {
    "write_text": "writes", "write_bytes": "writes", "unlink": "deletes",
    "read_text": "reads", "read_bytes": "reads",
}  # fmt: skip
_LASTS = ("open", "remove", "unlink", "rmdir", "removedirs", "rmtree", "rename", "replace", "move",
          "copy", "copy2", "copyfile", "copytree", *_METHODS)  # fmt: skip
_KEEPS = lazy_re(
    r"^((pathlib\.)?(Pure)?(Posix)?Path|os\.path\.(join|abspath|expanduser|expandvars|normpath|"
    r"realpath)|os\.fspath|str)$"
)
_KEEPING_METHODS = frozenset(
    "resolve expanduser absolute joinpath strip lstrip rstrip with_suffix as_posix format".split()
)


class Touch(Struct, frozen=True, eq=False):
    """A place that does something to the file of a path."""

    site: Site
    does: Does
    path: E.Expr


def touches(graph: AgentGraph) -> Iterator[Touch]:
    """Every such place outside tests, in source order."""
    found = {
        id(s.expr): s
        for name in _LASTS
        for s in graph.program.call_index.get(name, ())
        if code_kind(s.fn.file.path) != "test"
    }
    for site in sorted(found.values(), key=lambda s: s.place):
        yield from _touch(graph, site)


def _touch(graph: AgentGraph, site: Site) -> Iterator[Touch]:
    call, names = site.call, graph.resolver.dotted(site.call.func, site.fn)
    first = argument(call, "file", 0) or argument(call, "path", 0)
    if names & _OPENS and first is not None:
        yield Touch(site, _mode(call), first)
    elif names & _DELETES and first is not None:
        yield Touch(site, "deletes", first)
    elif any(_MOVES.match(n) for n in names):
        yield from (Touch(site, "writes", a.value) for a in call.args[:2])
    elif isinstance(call.func, E.Attr) and (does := _METHODS.get(call.func.attr)):
        yield Touch(site, does, call.func.value)


def _mode(call: E.Call) -> Does:
    mode = argument(call, "mode", 1)
    return "writes" if set(string(mode) or "") & set("wax+") else "reads"


def path_parts(graph: AgentGraph, expr: E.Expr, fn: Fn) -> tuple[str, list[E.Expr]]:
    """The parts of an expression that a path keeps; a bare name of a path keeps no folder."""
    match expr:
        case E.Attr(attr="name" | "stem" | "suffix"):
            return "refused", []
        case E.Binary(op="/" | "+" | "%"):
            return "joined", [expr.left, expr.right]
        case E.Template():
            kept: list[E.Expr] = [p for p in expr.parts if not isinstance(p, E.Const)]
            last = expr.parts[-1] if expr.parts else None
            return ("suffixed" if string(last) else "joined"), kept
        case E.Logic() | E.Choice() | E.Await() | E.Walrus():
            return "", _options(expr)
        case E.Call(func=E.Attr(attr=attr, value=value)) if attr in _KEEPING_METHODS:
            return "", [value, *(a.value for a in expr.args)]
        case E.Call(func=func):
            names = graph.resolver.dotted(func, fn)
            if any(_KEEPS.match(n) for n in names):
                joins = len(expr.args) > 1
                return ("joined" if joins else ""), [a.value for a in expr.args]
            return "", []
        case _:
            return "", []


def _options(expr: E.Logic | E.Choice | E.Await | E.Walrus) -> list[E.Expr]:
    if isinstance(expr, E.Logic):
        return list(expr.values)
    return [expr.then, expr.otherwise] if isinstance(expr, E.Choice) else [expr.value]
