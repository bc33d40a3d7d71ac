"""The tools of the target: functions, classes and schemas that a model may call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from agentcheck.graph.containers import Element, elements, values
from agentcheck.graph.given import given_at
from agentcheck.graph.handles import Fn, Klass, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.resolve import ClassRef, Function, Instance
from agentcheck.graph.text import argument, last_name, string
from agentcheck.graph.toolkits import kit_name
from agentcheck.model import expr as E
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework, ToolKind
    from agentcheck.graph.models import ModelCall

_PARTIAL = frozenset({"functools.partial", "functools.partialmethod"})


class Tool(Struct, frozen=True, eq=False):
    """Something a model may call. `fn` is its body when it is in the target.

    `place` is where it is defined (or built, for a hosted one), `built` the call that makes it a
    tool, if one does. `approval` is the framework's own switch as given: "yes" when it always asks,
    "maybe" for a callable or a value that nobody can tell, "no" when off or absent, None when the
    framework has no such switch.
    """

    name: str
    fn: Fn | None
    place: Place
    data: ToolKind | None = None
    framework: str | None = None
    approval: Literal["yes", "maybe", "no"] | None = None
    built: Site | None = None


class Toolbox:
    """Finds tools: decorated ones, and those an expression in a list of tools stands for."""

    def __init__(self, tracer: Tracer, frameworks: Sequence[Framework]) -> None:
        self.tracer = tracer
        self.kinds = [(kind, f.name) for f in frameworks for kind in f.tool]
        self.by_fn: dict[Fn, Tool] = {}
        # The SDK's own, by dotted name and by the program that they are given in.
        self.by_name: dict[tuple[str, str], Tool] = {}
        self._by_call: dict[int, list[Tool]] = {}

    def decorated(self) -> list[Tool]:
        """Every function of the target under a decorator that makes tools."""
        found = []
        for fn in self.tracer.program.every_function():
            for decorator in fn.facts.decorators:
                tool = self._from_decorator(fn, decorator)
                if tool is not None:
                    found.append(tool)
        return found

    def _from_decorator(self, fn: Fn, decorator: E.Expr) -> Tool | None:
        call = decorator if isinstance(decorator, E.Call) else None
        host = self.tracer.program.parent(fn) or fn
        names = self.tracer.resolver.dotted(call.func if call else decorator, host)
        for kind, framework in self.kinds:
            if names & set(kind.decorators) and not self._is_under(fn, kind.not_in):
                return self._keep(fn, kind, framework, call, host)
        return None

    def _is_under(self, fn: Fn, classes: Sequence[str]) -> bool:
        """Whether a function is a method of a class derived from one of these of the SDK."""
        owner = self.tracer.program.owner(fn) if classes else None
        return owner is not None and bool(
            set(classes) & set(self.tracer.resolver.external_bases(owner))
        )

    def _keep(
        self, fn: Fn, kind: ToolKind | None, framework: str | None, call: E.Call | None, host: Fn
    ) -> Tool:
        if fn in self.by_fn and kind is None:
            return self.by_fn[fn]
        name = (string(argument(call, kind.name_keyword)) if call and kind else None) or fn.name
        approval = self._approval(kind, call, host) if kind else None
        tool = Tool(name, fn, fn.place(fn.facts.name_span), kind, framework, approval)
        self.by_fn[fn] = tool
        return tool

    def _approval(
        self, kind: ToolKind, call: E.Call | None, fn: Fn
    ) -> Literal["yes", "maybe", "no"] | None:
        if kind.asks:
            return "maybe"
        if kind.approval_keyword is None:
            return None
        if call is not None and any(a.star == "**" for a in call.args):
            return "maybe"
        given = given_at(self.tracer, call, fn, kind.approval_keyword) if call else None
        if given is None:
            # What is passed without a word of it has the default of the service behind it.
            head, *rest = kind.approval_keyword.split(".")
            return "maybe" if call and rest and argument(call, head) is not None else "no"
        origins = self.tracer.local(given.expr, given.fn)
        values = [o.expr.value for o in origins if isinstance(o.expr, E.Const)]
        if values and all(v is True or v == "always" for v in values):
            return "yes"
        return "no" if values and all(not v or v == "never" for v in values) else "maybe"

    def of(self, element: Element) -> list[Tool]:
        """The tools that one element of a list of tools stands for."""
        from agentcheck.graph.ready import ready_made

        found = list(self._of(element.expr, element.fn))
        found = found or list(ready_made(self, element.expr, element.fn))
        return list({id(t): t for t in found}.values())

    def _of(self, expr: E.Expr, fn: Fn, depth: int = 3) -> Iterator[Tool]:
        if isinstance(expr, E.Entries):
            yield from self.from_schema(expr, fn)
        elif isinstance(expr, E.Call):
            yield from self._from_call(expr, fn, depth)
        else:
            for origin in self.tracer.of(expr, fn, up=3):
                if origin.expr is None or origin.expr is expr or origin.steps:
                    continue
                if origin.kind == "define" or isinstance(origin.expr, (E.Call, E.Entries)):
                    yield from self._of(origin.expr, origin.fn, depth - 1) if depth else ()
        for inner in self._under_key(expr, fn) if depth else ():
            yield from self._of(inner.expr, inner.fn, depth - 1)
        for symbol in self.tracer.resolver.of(expr, fn):
            yield from self._from_symbol(symbol)

    def _under_key(self, expr: E.Expr, fn: Fn) -> list[Element]:
        """`TOOLS["pay"]` and `registry.tools.get("pay")`."""
        match expr:
            case (
                E.Index(value=base, index=key)
                | E.Call(func=E.Attr(attr="get", value=base), args=(E.Arg(value=key), *_))
            ) if label := string(key):
                return values(self.tracer, base, fn, label)
            case _:
                return []

    def _from_symbol(self, symbol: object) -> Iterator[Tool]:
        if isinstance(symbol, Function):
            yield self._keep(symbol.fn, None, None, None, symbol.fn)
        elif isinstance(symbol, (Instance, ClassRef)):
            yield from self._from_class(symbol.klass)

    def _from_class(self, klass: Klass) -> Iterator[Tool]:
        from agentcheck.graph.ready import of_object

        if mine := of_object(self, klass):
            yield from mine
            return
        for name in ("_run", "run", "execute", "forward", "__call__", "call", "invoke"):
            body = self.tracer.resolver.method(klass, name)
            if body is not None:
                label = self._class_label(klass)
                yield Tool(label, body, klass.file.place(klass.facts.name_span))
                return

    def _class_label(self, klass: Klass) -> str:
        for binding in self.tracer.program.class_scope(klass).get("name", ()):
            label = string(binding.expr)
            if label:
                return label
        return klass.name

    def _from_call(self, call: E.Call, fn: Fn, depth: int) -> Iterator[Tool]:
        if id(call) not in self._by_call:
            self._by_call[id(call)] = []  # a tool may be given to what makes it
            self._by_call[id(call)] = list(self._made(call, fn, depth))
        yield from self._by_call[id(call)]

    def _made(self, call: E.Call, fn: Fn, depth: int) -> Iterator[Tool]:
        names = self.tracer.resolver.dotted(call.func, fn)
        for kind, framework in self.kinds:
            known = names & set(kind.constructors)
            if known:
                named = last_name(call.func) if kind.function else kit_name(min(known))
                yield from self._built(call, fn, kind, framework, named or "tool")
                return
        if names & _PARTIAL and call.args and depth:
            yield from self._of(call.args[0].value, fn, depth - 1)

    def _built(
        self, call: E.Call, fn: Fn, kind: ToolKind, framework: str, written: str
    ) -> Iterator[Tool]:
        slot = kind.function
        inner = argument(call, slot.keyword, slot.position) if slot else None
        label = string(argument(call, kind.name_keyword)) if kind.name_keyword else None
        site = self.tracer.site(call, fn)
        for body in self._bodies(inner, fn) or [None]:
            name = label or (body.name if body else written)
            place = body.place(body.facts.name_span) if body else fn.place(call.span)
            approval = self._approval(kind, call, fn)
            yield Tool(name, body, place, kind, framework, approval, site)

    def _bodies(self, inner: E.Expr | None, fn: Fn) -> list[Fn | None]:
        """The functions that a constructor may be given: several, inside a comprehension."""
        if inner is None:
            return []
        found = self._functions(inner, fn)[:1]
        for origin in self.tracer.of(inner, fn, up=3) if not found else ():
            wrapped = isinstance(origin.expr, E.Call) and last_name(origin.expr.func) == "partial"
            if wrapped and isinstance(origin.expr, E.Call) and origin.expr.args:
                found += self._functions(origin.expr.args[0].value, origin.fn)
            elif origin.kind == "define" and origin.expr is not None:
                found += self._functions(origin.expr, origin.fn)
        return list(dict.fromkeys(found))

    def _functions(self, expr: E.Expr, fn: Fn) -> list[Fn | None]:
        return [s.fn for s in self.tracer.resolver.of(expr, fn) if isinstance(s, Function)]

    def from_schema(self, schema: E.Entries, fn: Fn) -> Iterator[Tool]:
        """A tool described by a literal schema, with the function of its name if there is one."""
        label = schema_name(schema)
        if label is None:
            return
        bodies = [s.fn for s in self.tracer.resolver.name(label, fn) if isinstance(s, Function)]
        if not bodies:
            mapped = self._mapped.get(label, [])
            bodies = [body for host, body in mapped if self.tracer.program.together(host, fn)]
        if len(set(bodies)) == 1:
            yield self._keep(bodies[0], None, None, None, fn)
        else:
            yield Tool(label, None, fn.place(schema.span))

    @cached_property
    def _mapped(self) -> dict[str, list[tuple[Fn, Fn]]]:
        """The functions that dicts of the target hold under the names of tools: `{"pay": pay}`.

        With each comes the function in which the dict is.
        """
        found: dict[str, list[tuple[Fn, Fn]]] = {}
        for fn in self.tracer.program.every_function():
            for site in self.tracer.program.shaped(fn, E.Entries):
                if isinstance(site.expr, E.Entries):
                    for label, body in self._dispatched(site.expr, fn):
                        found.setdefault(label, []).append((fn, body))
        return found

    def _dispatched(self, shown: E.Entries, fn: Fn) -> Iterator[tuple[str, Fn]]:
        for entry in shown.entries:
            label = string(entry.key) if entry.key is not None else None
            if label and isinstance(entry.value, (E.Name, E.Attr)):
                symbols = self.tracer.resolver.of(entry.value, fn)
                yield from ((label, s.fn) for s in symbols if isinstance(s, Function))

    def given_to(self, calls: Sequence[ModelCall]) -> Iterator[Tool]:
        """The tools that are given to the model calls themselves, without any agent."""
        for call in calls:
            keyword = call.data.tools_keyword
            fn = call.site.fn
            given = given_at(self.tracer, call.call, fn, keyword) if keyword else None
            if given is None:
                continue
            for origin in self.tracer.of(given.expr, given.fn):
                if origin.kind == "display" and origin.expr is not None and not origin.steps:
                    for element in elements(self.tracer, origin.expr, origin.fn):
                        yield from self.of(element)

    def run_by_nodes(self) -> Iterator[Tool]:
        """The tools that `model.bind_tools(tools)` offers and that `ToolNode(tools)` runs."""
        for name in ("bind_tools", "ToolNode"):
            for site in self.tracer.program.call_index.get(name, []):
                given = argument(site.call, "tools", 0)
                if given is not None and not self.tracer.calls.callees(site):
                    for element in elements(self.tracer, given, site.fn):
                        yield from self.of(element)


def schema_name(schema: E.Entries) -> str | None:
    """The tool's name in a literal schema of chat completions, responses, messages or Converse."""
    keys = {string(e.key): e.value for e in schema.entries if e.key is not None}
    inner = keys.get("function") if string(keys.get("type")) == "function" else keys.get("toolSpec")
    if isinstance(inner, E.Entries):
        return schema_name(inner)
    if "name" in keys and keys.keys() & {"parameters", "input_schema", "inputSchema"}:
        return string(keys["name"])
    return None
