"""Uses of a reply's text that need it to be a string."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Reply,
    Site,
    argument,
    code_kind,
    descend,
    dotted,
    find_replies,
    read_key,
    string,
)
from agentcheck_rules.replies._conditions import conditions, is_number, looked_at

Kind = Literal["tools", "block", "none"]
# Replies whose text is None where the model called tools, refused or was stopped.
_OPTIONAL = {
    ("choices", "message", "content"): frozenset({"openai", "litellm", "mistralai"}),
    ("text",): frozenset({"google-genai"}),
}
_METHODS = frozenset(
    "strip lstrip rstrip split splitlines replace lower upper startswith endswith find index "
    "encode format join removeprefix removesuffix title count rsplit partition".split()
)
_TELLING = frozenset(
    "content tool_calls function_call function_calls finish_reason stop_reason refusal type text "
    "candidates parts status".split()
)


class Use(Struct, frozen=True, eq=False):
    """A place where the text has to be there, of which reply, and why it may not be."""

    site: Site
    reply: Reply
    kind: Kind


class Uses:
    """Finds the uses; made once for a graph."""

    def __init__(self, graph: AgentGraph) -> None:
        self._graph = graph
        self._replies = {
            id(r.call.site.expr): r for r in find_replies(graph) if r.call.data.form == "reply"
        }

    def all(self) -> Iterator[Use]:
        """Every use outside tests."""
        for fn in self._graph.program.every_function() if self._replies else ():
            if code_kind(fn.file.path) != "test":
                for site in self._graph.program.shaped(
                    fn, E.Attr, E.Call, E.Compare, E.Binary, E.Index
                ):
                    use = self._block(site) or self._use(site)
                    if use is not None:
                        yield use

    def _block(self, site: Site) -> Use | None:
        """`reply.content[0].text` of a Messages reply that may begin with a tool call."""
        expr = site.expr
        if type(expr) is not E.Attr or expr.attr != "text":
            return None
        if not isinstance(expr.value, E.Index) or not is_number(expr.value.index):
            return None
        reply = self._of(expr, site.fn, ("content", "text"))
        if reply is None or reply.call.data.kind != "messages":
            return None
        return Use(site, reply, "block") if offers_tools(self._graph, reply) else None

    def _use(self, site: Site) -> Use | None:
        text = _used_as_string(site)
        if text is None or not _is_read_here(self._graph, text, site.fn):
            return None
        for names, frameworks in _OPTIONAL.items():
            reply = self._of(text, site.fn, names)
            if reply is not None and reply.call.framework in frameworks:
                if names == ("text",) and "generativeai" in " ".join(reply.call.data.client):
                    return None
                offered = offers_tools(self._graph, reply)
                return Use(site, reply, "tools" if offered else "none")
        return None

    def _of(self, text: E.Expr, fn: Fn, names: tuple[str, ...]) -> Reply | None:
        """The reply that the text is of, if it is that and nothing else."""
        found: Reply | None = None
        for origin in self._graph.tracer.of(text, fn, up=3):
            reply = self._replies.get(id(origin.expr))
            if reply is not None and origin.names == names:
                found = found or reply
            elif origin.kind != "call" or origin.names != names:
                return None
        return found


def _used_as_string(site: Site) -> E.Expr | None:
    """What an expression takes for a string."""
    expr = site.expr
    if type(expr) is E.Attr:
        return None
    if type(expr) is E.Call:
        return _taken_by(expr)
    match expr:
        case E.Compare(ops=(("in" | "not in"),), rights=(right,)):
            return right
        case E.Binary(op="+", left=left, right=right):
            text = next((e for e in (left, right) if isinstance(e, (E.Const, E.Template))), None)
            return (right if text is left else left) if text is not None else None
        case E.Index(value=value, index=E.Slice()):
            return value
        case _:
            return None


def _taken_by(call: E.Call) -> E.Expr | None:
    match call.func:
        case E.Attr(attr=attr, value=value) if attr in _METHODS:
            return value
        case E.Name(id="len") if call.args:
            return call.args[0].value
        case _:
            return None


def _is_read_here(graph: AgentGraph, text: E.Expr, fn: Fn) -> bool:
    """Whether the text is taken out of the reply in this very function, and nothing put for it."""
    if read_key(text) in ("content", "text"):
        return True
    bound = graph.program.scope(fn).get(text.id, []) if isinstance(text, E.Name) else []
    return bool(bound) and all(
        b.how == "value" and b.expr is not None and read_key(b.expr) in ("content", "text")
        for b in bound
    )


def offers_tools(graph: AgentGraph, reply: Reply) -> bool:
    """Whether the request surely offers tools and lets the model use them."""
    keyword, call = reply.call.data.tools_keyword, reply.call.call
    given = argument(call, keyword) if keyword else None
    if given is None or string(argument(call, "tool_choice")) == "none":
        return False
    found = graph.tracer.of(given, reply.call.site.fn)
    return bool(found) and all(
        (o.kind == "display" and not _is_empty(o.expr)) or o.kind in ("call", "global", "define")
        for o in found
    )


def _is_empty(expr: E.Expr | None) -> bool:
    return isinstance(expr, E.Items) and not expr.items


def tested(graph: AgentGraph, use: Use) -> E.Expr | None:
    """A test on the way that tells whether there is a text."""
    own = dotted(_used_as_string(use.site) or use.site.expr)
    for test in conditions(graph, use.site):
        for expr in looked_at(test):
            if read_key(expr) in _TELLING or (own is not None and dotted(expr) == own):
                return test
            if isinstance(expr, E.Name) and _came_from(graph, expr, use):
                return test
    return None


def _came_from(graph: AgentGraph, name: E.Name, use: Use) -> bool:
    """Whether a tested name is a telling part of the reply, or what a helper says of it."""
    fn, asked = use.site.fn, use.reply.call.site.expr
    if any(o.names[-1:] and o.names[-1] in _TELLING for o in graph.tracer.local(name, fn)):
        return True
    made = [b.expr for b in graph.program.scope(fn).get(name.id, []) if b.expr is not None]
    given = [a.value for expr in made for e in descend(expr) for a in _args(e)]
    return any(
        o.expr is asked for value in (name, *given) for o in graph.tracer.of(value, fn, up=2)
    )


def _args(expr: E.Expr) -> tuple[E.Arg, ...]:
    return expr.args if isinstance(expr, E.Call) else ()
