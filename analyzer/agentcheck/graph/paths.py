"""The files that a path expression of the target may name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from itertools import product

from agentcheck.graph.handles import Fn
from agentcheck.graph.meanings import Meaning, meanings
from agentcheck.graph.origins import Tracer
from agentcheck.graph.text import last_name
from agentcheck.model import expr as E

MANY = 8
_KEPT = frozenset(
    "str fspath abspath realpath normpath resolve absolute expanduser as_posix Path PurePath "
    "PosixPath __str__ strip as_file enter_context".split()
)
_JOINS = frozenset({"join", "joinpath", "joinpaths"})
Env = Mapping[tuple[Fn, str], Meaning]


class Paths:
    """Reads paths. They start with a slash where they start at the scanned folder.

    Others hang on the folder in which the program is started. `env` gives parameters of a
    function what one call passes for them.
    """

    def __init__(self, tracer: Tracer, env: Env | None = None) -> None:
        self.tracer = tracer
        self.env = env or {}

    def of(self, expr: E.Expr, fn: Fn, depth: int = 10) -> list[str]:
        """The paths that an expression may be, at most MANY; none where a part cannot be told."""
        found = self._of(expr, fn, depth) if depth >= 0 else []
        return list(dict.fromkeys(found))[:MANY]

    def _of(self, expr: E.Expr, fn: Fn, depth: int) -> Iterable[str]:
        match expr:
            case E.Const(value=str() as value):
                return [] if value.startswith("/") else [value]
            case E.Name(id="__file__"):
                return [f"/{fn.file.path}"]
            case E.Name(id="__package__"):
                return [f"/{posixpath.dirname(fn.file.path)}"]
            case E.Attr(attr="parent", value=value):
                return [posixpath.dirname(p) for p in self.of(value, fn, depth - 1)]
            case E.Index(
                value=E.Attr(attr="parents", value=value), index=E.Const(value=int() as n)
            ):
                return [_above(p, n + 1) for p in self.of(value, fn, depth - 1)]
            case E.Name() | E.Attr():
                return self._named(expr, fn, depth)
            case E.Binary(op="/" | "+" as op, left=left, right=right):
                return self._joined((left, right), fn, depth, "/" if op == "/" else "")
            case E.Template(parts=parts):
                return self._joined(parts, fn, depth, "")
            case E.Call():
                return self._called(expr, fn, depth)
            case _:
                return []

    def _named(self, expr: E.Name | E.Attr, fn: Fn, depth: int) -> list[str]:
        if isinstance(expr, E.Name) and (fn, expr.id) in self.env:
            given, host = self.env[fn, expr.id]
            return Paths(self.tracer).of(given, host, depth - 1)
        known = meanings(self.tracer, expr, fn)
        if isinstance(expr, E.Name) and _is_param(fn, expr.id) and len(known) > 1:
            return []  # each caller has its own, and which of them is asked about is not known
        return [p for given, host in known for p in self.of(given, host, depth - 1)]

    def _joined(self, parts: Iterable[E.Expr], fn: Fn, depth: int, by: str) -> list[str]:
        options = [self.of(part, fn, depth - 1) for part in parts]
        if by:
            return [posixpath.join(*chosen) for chosen in product(*options)][:MANY]
        return ["".join(chosen) for chosen in product(*options)][:MANY]

    def _called(self, call: E.Call, fn: Fn, depth: int) -> Iterable[str]:
        name, func = last_name(call.func), call.func
        args = [a.value for a in call.args if not a.star and a.name is None]
        if name in ("cwd", "getcwd"):
            return [""]
        if name == "dirname" and args:
            return [posixpath.dirname(p) for p in self.of(args[0], fn, depth - 1)]
        if name == "files" and args:
            return self._package(args[0], fn, depth)
        if name in _JOINS and isinstance(func, E.Attr):
            os_path = name == "join" and last_name(func.value) == "path"
            return self._joined(args if os_path else [func.value, *args], fn, depth, "/")
        if name == "with_name" and isinstance(func, E.Attr) and args:
            return self._joined([E.Attr(func.where, func.value, "parent"), *args], fn, depth, "/")
        if name in _KEPT:
            kept = args or ([func.value] if isinstance(func, E.Attr) else [])
            return self._joined(kept, fn, depth, "/") if kept else []
        return []

    def _package(self, named: E.Expr, fn: Fn, depth: int) -> list[str]:
        """The folders of a package named by text, or that of the module itself."""
        found = []
        for name in self.of(named, fn, depth - 1):
            path = self.tracer.program.modules.find(name, fn.file.path) if name[:1] != "/" else None
            found += [f"/{posixpath.dirname(path)}"] if path else [name] if name[:1] == "/" else []
        return found


def candidates(path: str, file: str) -> list[str]:
    """Where a path may lead in the scanned folder: from its top, or from a folder around a file."""
    if path.startswith("/"):
        options = [posixpath.normpath(path)[1:]]
    else:
        folder = posixpath.dirname(file)
        folders = [""]
        while folder:
            folders.append(folder)
            folder = posixpath.dirname(folder)
        options = [posixpath.normpath(posixpath.join(f, path)) for f in folders]
    return [o for o in options if o and not o.startswith("..")]


def _above(path: str, levels: int) -> str:
    for _ in range(min(levels, MANY)):
        path = posixpath.dirname(path)
    return path


def _is_param(fn: Fn, name: str) -> bool:
    return any(p.name == name for p in fn.facts.params)
