"""Texts that the target reads from files beside its code: prompts, and settings that hold them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

from agentcheck.graph.handles import Fn
from agentcheck.graph.meanings import meanings
from agentcheck.graph.origins import Tracer
from agentcheck.graph.paths import Env, Paths, candidates
from agentcheck.graph.text import last_name, read_key
from agentcheck.model import expr as E
from agentcheck.source.texts import Data

_LOADERS = frozenset(
    f"{module}.{name}"
    for module, names in {
        "yaml": "load safe_load full_load",
        "json": "load loads",
        "tomllib": "load loads",
        "tomli": "load loads",
        "toml": "load loads",
    }.items()
    for name in names.split()
)
_READERS = frozenset({"open", "read_text", "get_data"})
_PACKAGED = frozenset({"pkgutil.get_data", "importlib.resources.read_text"})
DEPTH = 4
Read = tuple[str, str | None]  # the path of a file, and what was read from it


class Reader(Protocol):
    """Gives the files of the scanned folder, by names relative to it."""

    def text(self, path: str) -> str | None:
        """The text of a file; None where it cannot be read."""

    def data(self, path: str) -> Data:
        """The data in a file; None where it cannot be read."""


class FileText(Struct, frozen=True):
    """A text as a literal at the place that reads it; `value` is None where `path` was not read."""

    path: str
    value: E.Const | None


class TextFiles:
    """Finds what calls and look-ups read from files."""

    def __init__(self, tracer: Tracer, reader: Reader) -> None:
        self.tracer = tracer
        self.reader = reader
        self._memo: dict[tuple[int, Fn], list[FileText]] = {}
        self._able = not tracer.program.call_index.keys().isdisjoint(_READERS)

    def of(self, expr: E.Expr, fn: Fn) -> list[FileText]:
        """The texts that `Path(p).read_text()`, `load("x")` or `yaml.safe_load(f)["x"]` give."""
        key = (id(expr), fn)
        if not self._able or not isinstance(expr, (E.Call, E.Index)):
            return []
        if key not in self._memo:
            self._memo[key] = []  # a loader may be written in terms of itself
            self._memo[key] = list(self._texts(expr, fn))
        return self._memo[key]

    def _texts(self, expr: E.Expr, fn: Fn) -> Iterator[FileText]:
        if isinstance(expr, (E.Index, E.Call)) and read_key(expr) is not None:
            found = self._values(expr, fn, (), {}, DEPTH)
        else:
            found = self._whole(expr, fn, {}, DEPTH) if isinstance(expr, E.Call) else iter(())
        for path, text in found:
            yield FileText(path, E.Const(expr.where, text) if text is not None else None)

    def _whole(self, call: E.Call, fn: Fn, env: Env, depth: int) -> Iterator[Read]:
        """The whole text of a file that a call reads, itself or in the function that it calls."""
        callees = self.tracer.calls.callees(self.tracer.site(call, fn))
        for callee in callees[:2] if depth else ():
            inner = self._bound(call, fn, callee)
            for result in self.tracer.results(callee):
                for origin in self.tracer.local(result, callee):
                    made = origin.expr
                    if isinstance(made, E.Call) and origin.fn is callee and not origin.steps:
                        yield from self._whole(made, callee, inner, depth - 1)
        if not callees:
            for path in self._read_by(call, fn, env):
                yield self._first(path, fn)

    def _first(self, path: str, fn: Fn) -> Read:
        options = candidates(path, fn.file.path)
        for option in options:
            text = self.reader.text(option)
            if text is not None:
                return option, text
        return (options[-1] if options else path), None

    def _read_by(self, call: E.Call, fn: Fn, env: Env) -> list[str]:
        """The paths of what `f.read()`, `path.read_text()` and the like read."""
        paths, func = Paths(self.tracer, env), call.func
        name = last_name(func)
        if name == "read_text" and isinstance(func, E.Attr) and len(call.args) < 2:
            return paths.of(func.value, fn)
        if name == "read" and isinstance(func, E.Attr):
            return self._opened(func.value, fn, paths)
        if self.tracer.resolver.dotted(func, fn) & _PACKAGED and len(call.args) > 1:
            package, file = (a.value for a in call.args[:2])
            of_package = E.Call(call.where, E.Name(call.where, "files"), call.args[:1])
            return paths.of(E.Binary(call.where, "/", of_package, file), fn) if package else []
        return []

    def _opened(self, handle: E.Expr, fn: Fn, paths: Paths) -> list[str]:
        found = list[str]()
        for origin in self.tracer.local(handle, fn):
            made = origin.expr
            if not isinstance(made, E.Call) or last_name(made.func) != "open" or origin.steps:
                continue
            by_path = isinstance(made.func, E.Attr) and last_name(made.func.value) not in (
                "io",
                "codecs",
                "aiofiles",
            )
            named = made.func.value if by_path and isinstance(made.func, E.Attr) else None
            named = named or next((a.value for a in made.args), None)
            found += paths.of(named, origin.fn) if named is not None else []
        return found

    def _values(
        self, expr: E.Expr, fn: Fn, keys: tuple[str, ...], env: Env, depth: int
    ) -> Iterator[Read]:
        """What a data file holds under keys."""
        key = read_key(expr)
        if isinstance(expr, E.Index) and key is not None:
            yield from self._values(expr.value, fn, (key, *keys), env, depth)
        elif isinstance(expr, E.Call) and isinstance(expr.func, E.Attr) and key is not None:
            yield from self._values(expr.func.value, fn, (key, *keys), env, depth)
        elif isinstance(expr, (E.Name, E.Attr)) and depth:
            for given, host in meanings(self.tracer, expr, fn):
                yield from self._values(given, host, keys, env, depth - 1)
        elif isinstance(expr, E.Call):
            yield from self._loaded(expr, fn, keys, env, depth)

    def _loaded(
        self, call: E.Call, fn: Fn, keys: tuple[str, ...], env: Env, depth: int
    ) -> Iterator[Read]:
        callees = self.tracer.calls.callees(self.tracer.site(call, fn))
        for callee in callees[:2] if depth else ():
            for result in self.tracer.results(callee):
                inner = self._bound(call, fn, callee)
                yield from self._values(result, callee, keys, inner, depth - 1)
        if callees or not call.args or not self.tracer.resolver.dotted(call.func, fn) & _LOADERS:
            return
        given = call.args[0].value
        paths = self._opened(given, fn, Paths(self.tracer, env))
        for origin in self.tracer.local(given, fn) if not paths else ():
            if isinstance(origin.expr, E.Call) and not origin.steps:
                paths += self._read_by(origin.expr, origin.fn, env)
        for path in paths:
            yield self.under(path, fn, keys)

    def under(self, path: str, fn: Fn, keys: tuple[str, ...]) -> Read:
        """The text under keys of a data file, by the first of its candidates that is there."""
        options = candidates(path, fn.file.path)
        for option in options:
            value = self.reader.data(option)
            for key in keys:
                value = value.get(key) if isinstance(value, dict) else None
            if isinstance(value, str):
                return option, value
        return (options[-1] if options else path), None

    def _bound(self, call: E.Call, fn: Fn, callee: Fn) -> Env:
        given = self.tracer.calls.bound(self.tracer.site(call, fn), callee)
        return {(callee, name): (expr, fn) for name, expr in given.items()}
