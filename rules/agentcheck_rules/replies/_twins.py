"""Pairs of functions that do the same work, one of them streamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from agentcheck.rule import AgentGraph, Fn, code_kind, lazy_re

_STREAM = frozenset({"stream", "streaming", "streamed", "streams", "astream"})
# Words that tell the plain one of a pair, or join the words of a name.
_FILLERS = frozenset(
    {"and", "with", "batch", "plain", "sync", "non", "nonstream", "full", "once", "complete", "in"}
)
# What the plain one may be called where the streamed one is just "stream".
_PLAIN = ("run", "invoke", "generate", "chat", "complete", "call", "ask", "__call__")
_HUMP = lazy_re(r"(?<=[a-z0-9])(?=[A-Z])")


class Twins(Struct, frozen=True):
    """The plain and the streamed function of a pair."""

    plain: Fn
    stream: Fn


def find_twins(graph: AgentGraph) -> Iterator[Twins]:
    """Every pair outside tests, in one class or among the functions of one file."""
    for klass in graph.program.every_class():
        if code_kind(klass.file.path) != "test":
            yield from _pairs(klass.methods.values())
    for path, functions in graph.program.functions.items():
        if code_kind(path) != "test":
            yield from _pairs(f for f in functions[1:] if f.facts.owner is None)


def _pairs(functions: Iterable[Fn]) -> Iterator[Twins]:
    plain: dict[tuple[str, ...], list[Fn]] = {}
    streamed: dict[tuple[str, ...], list[Fn]] = {}
    for fn in functions:
        words = _HUMP.sub("_", fn.name).lower().strip("_").split("_")
        rest = tuple(w for w in words if w not in _STREAM and w not in _FILLERS)
        nonstream = "non" in words or "nonstream" in words
        group = streamed if _STREAM & set(words) and not nonstream else plain
        group.setdefault(rest, []).append(fn)
    for key, streams in streamed.items():
        found = plain.get(key) if key else _unnamed(plain)
        if found and len(found) == len(streams) == 1:
            yield Twins(found[0], streams[0])


def _unnamed(plain: dict[tuple[str, ...], list[Fn]]) -> list[Fn] | None:
    """The plain function that goes with one named `stream` and no more."""
    return next((plain[name,] for name in _PLAIN if (name,) in plain), None)
