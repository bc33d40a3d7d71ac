"""Which lists of messages reach a provider as they are, without being rebuilt on the way."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, Fn, ModelCall, S, Site, last_name, slot, string

PROVIDERS = frozenset({"openai", "anthropic", "litellm", "mistralai", "ollama"})
_COPIES = frozenset({"list", "copy", "deepcopy", "tuple"})
DEPTH = 4


class Sent:
    """Answers which slots of a function go whole into a provider's list of messages."""

    def __init__(self, graph: AgentGraph) -> None:
        self._graph = graph
        self._calls = {
            id(c.site.expr): c
            for c in graph.model_calls
            if c.framework in PROVIDERS and c.data.kind not in ("embedding", "poll", "completion")
        }
        self._memo: dict[Fn, dict[str, ModelCall]] = {}

    def slots(self, fn: Fn, depth: int = DEPTH) -> dict[str, ModelCall]:
        """The slots with the model call that each reaches."""
        if fn not in self._memo:
            self._memo[fn] = {}  # while being found: functions may call each other
            for site in self._graph.drives.sites.get(fn, ()) if depth else ():
                self._memo[fn] |= self._by_site(site, depth)
        return self._memo[fn]

    def _by_site(self, site: Site, depth: int) -> dict[str, ModelCall]:
        call = self._calls.get(id(site.expr))
        if call is not None:
            keyword = call.data.messages_keyword or "messages"
            return {
                name: call
                for arg in site.call.args
                if arg.name == keyword or arg.star == "**"
                for name in self._whole(arg.value, site.fn, keyword)
            }
        found: dict[str, ModelCall] = {}
        for callee in self._graph.calls.callees(site):
            inner = self.slots(callee, depth - 1)
            for param, value in self._graph.calls.bound(site, callee).items():
                if param in inner:
                    found |= dict.fromkeys(self._whole(value, site.fn, ""), inner[param])
            found |= {n: c for n, c in inner.items() if n.startswith("self.")}
        return found

    def _whole(self, expr: E.Expr, fn: Fn, keyword: str, depth: int = 3) -> Iterator[str]:
        """The slots that an expression holds unchanged; what rebuilds its elements holds none."""
        name = slot(expr)
        if name is not None:
            yield from self._name(expr, name, fn, keyword, depth)
            return
        for part in _unchanged(expr, keyword):
            yield from self._whole(part, fn, keyword, depth)

    def _name(self, expr: E.Expr, name: str, fn: Fn, keyword: str, depth: int) -> Iterator[str]:
        bound = self._graph.program.scope(fn).get(name, ()) if isinstance(expr, E.Name) else ()
        values = [b.expr for b in bound if b.how == "value" and b.expr is not None]
        if any(_rebuilds(value) for value in values):
            return
        yield name
        for value in values[:6] if depth else ():
            if value is not expr:
                yield from self._whole(value, fn, keyword, depth - 1)


def _unchanged(expr: E.Expr, keyword: str) -> Iterator[E.Expr]:
    match expr:
        case E.Binary(op="+", left=left, right=right):
            yield from (left, right)
        case E.Items(items=items):
            yield from (i.value if isinstance(i, E.Star) else i for i in items)
        case E.Entries(entries=entries):
            yield from (e.value for e in entries if e.key and string(e.key) == keyword)
        case E.Choice(then=then, otherwise=otherwise):
            yield from (then, otherwise)
        case E.Logic(values=values):
            yield from values
        case E.Call(func=func, args=args) if last_name(func) in _COPIES:
            yield from (a.value for a in args)
            if not args and isinstance(func, E.Attr):
                yield func.value
        case _:
            return


def _rebuilds(value: E.Expr) -> bool:
    """A comprehension, or a call that is no copy, may give each message another shape."""
    return isinstance(value, E.Comp) or (
        isinstance(value, E.Call) and last_name(value.func) not in _COPIES | {"get", "pop", "loads"}
    )


def is_removed(graph: AgentGraph, fn: Fn, key: str, own: set[str]) -> bool:
    """Whether a key is taken out of messages: popped, deleted, or left out by a comparison.

    What it is taken out of is the message's own slot (`own`), a parameter, or what a loop goes
    through; some other dict with the same key does not count.
    """
    for other in graph.program.functions[fn.file.path] + _elsewhere(graph, fn):
        targets = _deleted(graph, other)
        exprs = [site.expr for site in graph.program.sites(other)]
        for expr in exprs:
            taken = _taken_out(expr, key)
            if taken is True or (taken and _is_message(graph, other, taken, own, fn)):
                return True
        if any(isinstance(t, E.Index) and string(t.index) == key for t in targets):
            return True
    return False


def _deleted(graph: AgentGraph, fn: Fn) -> list[E.Expr]:
    return [
        target
        for at in graph.program.statements(fn)
        if isinstance(at.stmt, S.Delete)
        for target in at.stmt.targets
    ]


def _is_message(graph: AgentGraph, other: Fn, name: str, own: set[str], fn: Fn) -> bool:
    if other is fn and name in own:
        return True
    bound = graph.program.scope(other).get(name, ())
    return any(b.how in ("element", "item", "param") for b in bound)


def _elsewhere(graph: AgentGraph, fn: Fn) -> tuple[Fn, ...]:
    files = graph.program.modules.imported_by(fn.file.path) - {fn.file.path}
    return tuple(f for path in files for f in graph.program.functions.get(path, ()))


def _taken_out(expr: E.Expr, key: str) -> str | bool:
    """The slot that a key is popped from; True where a whole list is rid of it."""
    match expr:
        case E.Call(func=E.Attr(attr="pop", value=value), args=(first, *_)):
            return (slot(value) or False) if string(first.value) == key else False
        case E.Compare(ops=("!=" | "not in", *_), rights=(right, *_)):
            held = right.items if isinstance(right, E.Items) else (right,)
            return any(string(item) == key for item in held)
        case E.Call(args=args):
            shown = [a.value for a in args if a.name == "exclude"]
            return any(
                string(item) == key for s in shown if isinstance(s, E.Items) for item in s.items
            )
        case _:
            return False
