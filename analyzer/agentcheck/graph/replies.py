"""What is read of each model's reply: why it ended, what it cost, what it said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, field

from agentcheck.graph.escapes import Escape, Flow
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.models import ModelCall
from agentcheck.graph.reply_paths import About, Names, Paths, paths_of
from agentcheck.graph.text import dotted, read_key, string
from agentcheck.graph.tracing import Tracing
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.kind import code_kind

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

# Where the messages of a conversation are kept for the next call, not for a look at the reply.
CONVERSATION = frozenset({"messages", "history", "chat_history", "conversation"})


class Read(Struct, frozen=True, eq=False):
    """A place that reads something of a reply, `names` below it."""

    site: Site
    names: Names


class Reply(Struct, eq=False):
    """One model call and the places outside tests that read its reply.

    `escapes` are places where the reply, or a part that carries more of it, goes somewhere that
    cannot be followed: stored, handed to code outside the target, or returned by a function that
    nobody in the target calls. `traced` where a tracer sees every reply by itself.
    """

    call: ModelCall
    paths: Paths
    reads: dict[About, list[Read]] = field(default_factory=dict)
    escapes: list[Escape] = field(default_factory=list)
    traced: bool = False

    def read(self, about: About) -> list[Site]:
        """The places that read one kind of thing."""
        return [r.site for r in self.reads.get(about, [])]

    def escaped(self, about: About) -> list[Escape]:
        """The escapes of what carries one kind of thing."""
        return [e for e in self.escapes if e.names in self.paths.carriers(about)]

    def reductions(self) -> list[Site]:
        """Where the reply is first reduced to its content, the rest of it left behind."""
        found = self.reads.get("content", []) + self.reads.get("tool_calls", [])
        shortest = min((len(r.names) for r in found), default=0)
        sites = {id(r.site.expr): r.site for r in found if len(r.names) == shortest}
        return sorted(sites.values(), key=lambda s: s.place)

    def takes_tool_calls(self) -> bool:
        """Whether tool calls are looked for in the reply, apart from its content."""
        return any(self.paths.is_tool_call(r.names) for r in self.reads.get("tool_calls", []))


def find_replies(graph: AgentGraph) -> list[Reply]:
    """The reply of every call that gives one, with all that is read of it anywhere."""
    if graph.replies is None:
        graph.replies = _find_replies(graph)
    return graph.replies


def _find_replies(graph: AgentGraph) -> list[Reply]:
    asked = [
        c
        for c in graph.model_calls
        if c.data.kind not in ("embedding", "poll") and not c.remodelled
    ]
    replies = [Reply(c, paths_of(c.data)) for c in asked]
    if replies:
        scan = _Scan(graph, replies)
        flow, tracing = Flow(graph.tracer, scan.by_call), Tracing(graph.calls)
        for reply in replies:
            readers = {r.site.fn for reads in reply.reads.values() for r in reads}
            found = flow.escapes(reply.call.site, reply.paths.every_carrier, readers)
            reply.escapes = [e for e in found if not scan.is_memory(reply, e)]
            reply.traced = tracing.sees(reply.call)
    return replies


class _Scan:
    """One pass over every expression that reads a key which some reply has."""

    def __init__(self, graph: AgentGraph, replies: list[Reply]) -> None:
        self._graph = graph
        self.by_call = {id(r.call.site.expr): r for r in replies}
        self._keys = {n for r in replies for n in r.paths.every_name}
        self._telling = {n for r in replies for n in r.paths.leaves}
        self._unclaimed: dict[str, set[str]] = {}
        for path, functions in graph.program.functions.items():
            if code_kind(path) != "test":
                for fn in functions:
                    self._function(fn)

    def _function(self, fn: Fn) -> None:
        program = self._graph.program
        for site in program.shaped(fn, E.Attr, E.Index, E.Call):
            key = read_key(site.expr)
            if key is not None and key in self._keys:
                self._note(site, site.expr, (), key)
        for at in program.statements(fn):
            stmt = at.stmt
            if type(stmt) is S.Match:
                for case in stmt.cases:
                    for key in _pattern_keys(case.pattern):
                        if key in self._keys:
                            self._note(Site(case.pattern, at), stmt.subject, (key,), key)

    def _note(self, site: Site, expr: E.Expr, more: Names, key: str) -> None:
        """Add a read to the replies it may be of; one of a telling key that is of none is kept."""
        claimed, way = False, set[str]()
        for origin in self._graph.tracer.of(expr, site.fn, up=4):
            reply = self.by_call.get(id(origin.expr)) if origin.kind == "call" else None
            if reply is not None:
                claimed = True
                _add(reply, site, (*origin.names, *more))
            way.update(origin.names)
        if not claimed and key in self._telling:
            self._unclaimed.setdefault(key, set()).update(way, (dotted(expr) or "").split(".")[1:])

    def is_memory(self, reply: Reply, escape: Escape) -> bool:
        """Whether a place only keeps the reply for the target's own later use of its content.

        It is not where a reason or usage is read that is under the same key and may be this one.
        """
        key = escape.key
        if key is None or escape.kind not in ("kept", "returned"):
            return False
        if any(key in self._unclaimed.get(leaf, ()) for leaf in reply.paths.leaves):
            return False
        if key in CONVERSATION:
            return True
        return escape.kind == "kept" and any(_goes_through(s, key) for s in reply.reductions())


def _goes_through(site: Site, key: str) -> bool:
    return any(isinstance(e, E.Attr) and e.attr == key for e in descend(site.expr))


def _pattern_keys(pattern: E.Expr) -> Iterator[str]:
    """The attributes and keys that a class or mapping pattern looks at."""
    for part in descend(pattern):
        if isinstance(part, E.Call):
            yield from (a.name for a in part.args if a.name)
        elif isinstance(part, E.Entries):
            yield from (k for k in (string(e.key) for e in part.entries) if k)


def _add(reply: Reply, site: Site, names: Names) -> None:
    plain = tuple(n for n in names if n != "json()")
    for about in reply.paths.about(plain):
        reads = reply.reads.setdefault(about, [])
        if all(r.site.expr is not site.expr for r in reads):
            reads.append(Read(site, plain))
