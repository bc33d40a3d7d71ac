"""Text of any size: the whole of a file, of a page, of what a command wrote, of a query."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    S,
    descend,
    dotted,
    last_name,
    lazy_re,
    slot,
    spoken,
)

Kind = Literal["file", "page", "command", "rows"]
SAYS: dict[str, str] = {
    "file": "the whole of a file",
    "page": "the whole body of an HTTP answer",
    "command": "all that a command writes",
    "rows": "every row of a query",
}
_HTTP = lazy_re(r"^(requests|httpx|urllib\.request|aiohttp|urllib3|curl_cffi\.requests)\.")
_VERBS = frozenset("get post put request fetch urlopen".split())
_COMMANDS = frozenset(
    "subprocess.run subprocess.check_output subprocess.getoutput subprocess.Popen "
    "subprocess.getstatusoutput asyncio.create_subprocess_shell asyncio.create_subprocess_exec "
    "os.popen".split()
)
_BOUNDS = lazy_re(r"\b(limit|top|fetch\s+first|count\s*\(|sum\s*\(|avg\s*\()", re.IGNORECASE)
_CUTS = lazy_re(
    r"trunc|trim|clip|shorten|summar|chunk|paginat|page|max_(chars|len|length|size|bytes|lines|"
    r"tokens|output|rows|results|content)|limit|head|tail|preview|excerpt|offset|split_text|nrows",
    re.IGNORECASE,
)


class Source(Struct, frozen=True):
    """A place that takes the whole of something; `key` are the values that choose what."""

    kind: Kind
    place: Place
    fn: Fn
    key: tuple[E.Expr, ...]


def source_of(graph: AgentGraph, expr: E.Expr, fn: Fn) -> Iterator[Source]:
    """The sources that a text holds unshortened."""
    page = page_of(graph, expr, fn)
    if page is not None:
        yield Source("page", fn.place(page.span), fn, tuple(a.value for a in page.args))
    for origin in graph.tracer.local(expr, fn):
        call = origin.expr
        if origin.kind != "call" or not isinstance(call, E.Call):
            continue
        kind = _kind(graph, call, origin.fn, origin.names)
        if kind is not None:
            opened = _opened(graph, call, origin.fn) if kind == "file" else ()
            key = (*(a.value for a in call.args), *opened)
            yield Source(kind, origin.fn.place(call.span), origin.fn, key)


def _kind(graph: AgentGraph, call: E.Call, fn: Fn, names: tuple[str, ...]) -> Kind | None:
    last = last_name(call.func) or ""
    resolved = graph.resolver.dotted(call.func, fn)
    if graph.calls.callees(graph.tracer.site(call, fn)):
        return None
    reads = last in ("read", "readlines") and not call.args and _opened(graph, call, fn)
    if last == "read_text" or reads:
        return "file"
    if resolved & _COMMANDS or any(n.endswith((".communicate", "popen")) for n in resolved):
        told = names and names[-1] in ("stdout", "stderr")
        return "command" if told or last in ("check_output", "getoutput") else None
    if last == "fetchall":
        return "rows" if not _is_bounded_query(graph, fn) else None
    return None


def page_of(graph: AgentGraph, expr: E.Expr, fn: Fn) -> E.Call | None:
    """The request of which an expression is the body: `reply.text`, `await reply.text()`."""
    while isinstance(expr, E.Await):
        expr = expr.value
    read = expr.func if isinstance(expr, E.Call) and not expr.args else expr
    if not isinstance(read, E.Attr) or read.attr not in ("text", "content"):
        return None
    bound = graph.program.scope(fn).get(slot(read.value) or "", ())
    for value in (read.value, *(b.expr for b in bound if b.how in ("value", "enter"))):
        call = value.value if isinstance(value, E.Await) else value
        if not isinstance(call, E.Call) or last_name(call.func) not in _VERBS:
            continue
        if any(_HTTP.match(name) for name in graph.resolver.dotted(call.func, fn)):
            return call
    return None


def _opened(graph: AgentGraph, call: E.Call, fn: Fn) -> tuple[E.Expr, ...]:
    """What `open` was given for the file that a call reads."""
    if not isinstance(call.func, E.Attr):
        return ()
    base = call.func.value
    found = [base] if isinstance(base, E.Call) else []
    if isinstance(base, E.Name):
        bound = graph.program.scope(fn).get(base.id, ())
        found += [b.expr for b in bound if isinstance(b.expr, E.Call)]
    opens = [c for c in found if isinstance(c, E.Call) and last_name(c.func) in ("open", "Path")]
    return tuple(a.value for c in opens for a in c.args[:1]) or tuple(
        c.func.value for c in opens if isinstance(c.func, E.Attr)
    )


def _is_bounded_query(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a query of the function, as far as it is written there, has an end of its own."""
    texts = [spoken(s.expr) for s in graph.program.sites(fn)]
    queries = [t for t in texts if re.search(r"\bselect\b", t, re.IGNORECASE)]
    catalogue = re.compile(r"sqlite_master|information_schema|pragma|show tables", re.IGNORECASE)
    return any(_BOUNDS.search(q) or catalogue.search(q) for q in queries) or any(
        catalogue.search(t) for t in texts
    )


def is_cut(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a function slices, measures against a limit, or names something that shortens."""
    for site in graph.program.sites(fn):
        match site.expr:
            case E.Index(index=E.Slice()):
                return True
            case E.Call(func=func, args=args):
                words = [dotted(func) or "", *(a.name or "" for a in args)]
                if any(_CUTS.search(word.rpartition(".")[2]) for word in words):
                    return True
            case E.Compare(left=left, rights=rights):
                sizes = [e for side in (left, *rights) for e in descend(side)]
                if any(_measures(e) for e in sizes):
                    return True
            case _:
                continue
    return any(_CUTS.search(p.name) for p in fn.facts.params) or _loops_with_break(graph, fn)


def _measures(expr: E.Expr) -> bool:
    if isinstance(expr, E.Call) and last_name(expr.func) == "len":
        return True
    return "size" in (slot(expr) or "").lower()


def _loops_with_break(graph: AgentGraph, fn: Fn) -> bool:
    return any(
        isinstance(at.stmt, S.Jump) and at.stmt.kind == "break"
        for at in graph.program.statements(fn)
    )


def chooses(graph: AgentGraph, source: Source, tool: Fn) -> bool:
    """Whether an argument of the tool, which the model writes, says what is taken."""
    params = {p.name for p in tool.facts.params if p.name not in ("self", "cls")}
    for key in source.key:
        for part in descend(key):
            if isinstance(part, E.Name):
                if source.fn is tool and part.id in params:
                    return True
                origins = graph.tracer.local(part, source.fn)
                if any(o.kind == "param" and o.param in params for o in origins):
                    return True
    return False
