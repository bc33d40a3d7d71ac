"""Whether a value holds text that a model wrote: a reply, or what it gave a tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct, field

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Klass,
    Place,
    descend,
    find_dispatches,
    last_name,
    lazy_re,
    part,
    reached,
    string,
)

# A parameter of such a name holds a reply, whoever passes it.
_REPLY = lazy_re(
    r"^((llm|model|assistant|ai|gpt|claude|agent|bot)_?(reply|response|output|answer|text|message)"
    r"|(llm|model|ai|gpt)_?(generated_)?(code|script|command)|generated_(code|script|command))$"
)
_TOOL = lazy_re(r"^(?!register|create|make|build|get|add|load).*_tool$")
_COMMANDS = frozenset("command cmd code script expression python_code shell_command".split())
_BODIES = frozenset("_run _arun run arun execute _execute use call __call__ forward invoke".split())
# What hands a text on, changed or not.
_TEXT_METHODS = frozenset(
    "strip lstrip rstrip split rsplit splitlines partition rpartition replace format join lower "
    "upper group groups removeprefix removesuffix encode decode read_code sub findall".split()
)
_TEXT_CALLS = lazy_re(r"^(re\.\w+|textwrap\.\w+|shlex\.split|compile|ast\.parse|str|repr)$")
_NOT_GIVEN = frozenset("self cls ctx context run_context config state runtime agent".split())
# Helpers that take a part out of a text, or mend it.
_PICKS = lazy_re(r"extract|clean|parse|strip|fix|repair|unwrap|section|block|sanitize|trim")
DEPTH = 5


class Source(Struct, frozen=True):
    """Where the text comes from. `named` when a parameter's name alone says so."""

    kind: Literal["reply", "argument", "named"]
    says: str
    place: Place


class ModelText(Struct, eq=False):
    """Answers for one graph."""

    graph: AgentGraph
    bodies: set[Fn] = field(default_factory=set)
    replies: dict[int, Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        graph = self.graph
        self.bodies = {t.fn for t in graph.tools if t.fn is not None}
        self.bodies |= {fn for d in find_dispatches(graph) for fn in reached(graph, d)}
        self.bodies |= {fn for k in graph.program.every_class() for fn in tool_methods(graph, k)}
        sites = [*(c.site for c in graph.model_calls), *(c.site for c in graph.runs)]
        self.replies = {id(site.expr): site.place for site in sites}

    def source(self, expr: E.Expr, fn: Fn) -> Source | None:
        """The best proof that an expression holds text of a model; None when there is none."""
        found = list(self._sources(expr, fn, DEPTH, set()))
        if not found and part(self.graph, expr, fn) == "arguments":
            found = [
                Source("argument", "this is what the model gave its tool", fn.place(expr.span))
            ]
        return min(found, key=lambda s: s.kind == "named") if found else None

    def _sources(
        self, expr: E.Expr, fn: Fn, depth: int, seen: set[tuple[object, ...]]
    ) -> Iterator[Source]:
        tracer = self.graph.tracer
        for origin in (*tracer.of(expr, fn), *tracer.local(expr, fn)):
            if origin.key in seen:
                continue
            seen.add(origin.key)
            if origin.kind == "param" and origin.param is not None:
                yield from self._by_param(origin.param, origin.fn)
            elif origin.expr is not None and id(origin.expr) in self.replies:
                place = self.replies[id(origin.expr)]
                yield Source("reply", "the model is asked here", place)
            elif origin.expr is not None and depth:
                for inner in self._texts(origin.expr, origin.fn):
                    yield from self._sources(inner, origin.fn, depth - 1, seen)

    def _by_param(self, name: str, fn: Fn) -> Iterator[Source]:
        param = next((p for p in fn.facts.params if p.name == name), None)
        if param is None or name in _NOT_GIVEN:
            return
        place = fn.place(param.span)
        if fn in self.bodies:
            yield Source("argument", f"the model writes `{name}`", place)
        elif _TOOL.search(fn.name) and name in _COMMANDS:
            yield Source("named", f"a tool takes `{name}`, to judge by their names", place)
        elif _REPLY.match(name):
            yield Source("named", f"`{name}` holds a model's text, to judge by its name", place)

    def _texts(self, expr: E.Expr, fn: Fn) -> Iterator[E.Expr]:
        """The parts of an expression whose text it holds."""
        match expr:
            case E.Call(func=E.Attr(attr=attr, value=value)) if attr in _TEXT_METHODS:
                yield value
                yield from (a.value for a in expr.args)
            case E.Call():
                names = self.graph.resolver.dotted(expr.func, fn)
                picks = _PICKS.search((last_name(expr.func) or "").lower())
                if picks or any(_TEXT_CALLS.match(n) for n in names):
                    yield from (a.value for a in expr.args)
            case E.Template() | E.Items():
                yield from (e for e in _inside(expr) if not isinstance(e, E.Const))
            case _:
                return


def _inside(expr: E.Template | E.Items) -> tuple[E.Expr, ...]:
    return expr.parts if isinstance(expr, E.Template) else expr.items


def tool_methods(graph: AgentGraph, klass: Klass) -> Iterator[Fn]:
    """The bodies of a home-made tool: its class holds a name and a description, or is a `Tool`."""
    if not any(name in _BODIES for name in klass.methods):
        return
    scope = graph.program.class_scope(klass)
    described = all(
        any(string(b.expr) for b in scope.get(key, ()) if b.expr is not None)
        for key in ("name", "description")
    )
    bases = {
        e.id if isinstance(e, E.Name) else e.attr
        for b in klass.facts.bases
        for e in descend(b.value)
        if isinstance(e, (E.Name, E.Attr))
    }
    if described or any(b.endswith("Tool") for b in bases):
        yield from (fn for name, fn in klass.methods.items() if name in _BODIES)
