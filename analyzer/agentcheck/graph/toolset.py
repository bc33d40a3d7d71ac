"""The tools of the target: functions, classes and schemas that a model may call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from agentcheck.graph.containers import Element, elements
from agentcheck.graph.handles import Fn, Klass, Located, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.resolve import ClassRef, Function, Instance
from agentcheck.graph.text import argument, string
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework, ToolKind
    from agentcheck.graph.models import ModelCall


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
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
        self._by_fn: dict[Fn, Tool] = {}
        self._by_call: dict[int, Tool] = {}

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
            if names & set(kind.decorators):
                return self._keep(fn, kind, framework, call, host)
        return None

    def _keep(
        self, fn: Fn, kind: ToolKind | None, framework: str | None, call: E.Call | None, host: Fn
    ) -> Tool:
        if fn in self._by_fn and kind is None:
            return self._by_fn[fn]
        name = (string(argument(call, kind.name_keyword)) if call and kind else None) or fn.name
        approval = self._approval(kind, call, host) if kind else None
        tool = Tool(name, fn, fn.place(fn.facts.name_span), kind, framework, approval)
        self._by_fn[fn] = tool
        return tool

    def _approval(
        self, kind: ToolKind, call: E.Call | None, fn: Fn
    ) -> Literal["yes", "maybe", "no"] | None:
        if kind.approval_keyword is None:
            return None
        given = argument(call, kind.approval_keyword) if call else None
        if call is not None and any(a.star == "**" for a in call.args):
            return "maybe"
        if given is None:
            return "no"
        values = [o.expr.value for o in self.tracer.local(given, fn) if isinstance(o.expr, E.Const)]
        if values and all(v is True for v in values):
            return "yes"
        return "no" if values and not any(values) else "maybe"

    def of(self, element: Element) -> list[Tool]:
        """The tools that one element of a list of tools stands for."""
        found = list(self._of(element.expr, element.fn))
        return list({id(t): t for t in found}.values())

    def _of(self, expr: E.Expr, fn: Fn) -> Iterator[Tool]:
        if isinstance(expr, E.Entries):
            yield from self.from_schema(expr, fn)
        elif isinstance(expr, E.Call):
            yield from self._from_call(expr, fn)
        else:
            for origin in self.tracer.local(expr, fn):
                if origin.kind == "call" and isinstance(origin.expr, E.Call) and not origin.steps:
                    yield from self._from_call(origin.expr, origin.fn)
                elif (
                    origin.kind == "display"
                    and isinstance(origin.expr, E.Entries)
                    and not origin.steps
                ):
                    yield from self.from_schema(origin.expr, origin.fn)
        for symbol in self.tracer.resolver.of(expr, fn):
            yield from self._from_symbol(symbol)

    def _from_symbol(self, symbol: object) -> Iterator[Tool]:
        if isinstance(symbol, Function):
            yield self._keep(symbol.fn, None, None, None, symbol.fn)
        elif isinstance(symbol, (Instance, ClassRef)):
            yield from self._from_class(symbol.klass)

    def _from_class(self, klass: Klass) -> Iterator[Tool]:
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

    def _from_call(self, call: E.Call, fn: Fn) -> Iterator[Tool]:
        if id(call) in self._by_call:
            yield self._by_call[id(call)]
            return
        names = self.tracer.resolver.dotted(call.func, fn)
        for kind, framework in self.kinds:
            if names & set(kind.constructors):
                tool = self._built(call, fn, kind, framework)
                self._by_call[id(call)] = tool
                yield tool
                return

    def _built(self, call: E.Call, fn: Fn, kind: ToolKind, framework: str) -> Tool:
        slot = kind.function
        inner = argument(call, slot.keyword, slot.position) if slot else None
        body = (
            next(
                (s.fn for s in self.tracer.resolver.of(inner, fn) if isinstance(s, Function)), None
            )
            if inner is not None
            else None
        )
        written = (
            call.func.attr if isinstance(call.func, E.Attr) else getattr(call.func, "id", "tool")
        )
        label = string(argument(call, kind.name_keyword)) if kind.name_keyword else None
        name = label or (body.name if body else str(written))
        site = Site(call, Located(S.Do(call.span, call), fn, None))
        place = body.place(body.facts.name_span) if body else fn.place(call.span)
        return Tool(name, body, place, kind, framework, self._approval(kind, call, fn), site)

    def from_schema(self, schema: E.Entries, fn: Fn) -> Iterator[Tool]:
        """A tool described by a literal schema, with the function of its name if there is one."""
        label = schema_name(schema)
        if label is None:
            return
        bodies = [s.fn for s in self.tracer.resolver.name(label, fn) if isinstance(s, Function)]
        bodies = bodies or self._mapped.get(label, [])
        if len(set(bodies)) == 1:
            yield self._keep(bodies[0], None, None, None, fn)
        else:
            yield Tool(label, None, fn.place(schema.span))

    @cached_property
    def _mapped(self) -> dict[str, list[Fn]]:
        """The functions that dicts of the target hold under the names of tools: `{"pay": pay}`."""
        found: dict[str, list[Fn]] = {}
        for fn in self.tracer.program.every_function():
            for site in self.tracer.program.sites(fn):
                if isinstance(site.expr, E.Entries):
                    for label, body in self._dispatched(site.expr, fn):
                        found.setdefault(label, []).append(body)
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
            given = argument(call.call, keyword) if keyword else None
            if given is None:
                continue
            for origin in self.tracer.of(given, call.site.fn):
                if origin.kind == "display" and origin.expr is not None and not origin.steps:
                    for element in elements(self.tracer, origin.expr, origin.fn):
                        yield from self.of(element)


def schema_name(schema: E.Entries) -> str | None:
    """The tool's name in a literal schema of chat completions, responses or messages."""
    keys = {string(e.key): e.value for e in schema.entries if e.key is not None}
    inner = keys.get("function")
    if string(keys.get("type")) == "function" and isinstance(inner, E.Entries):
        return schema_name(inner)
    if "name" in keys and keys.keys() & {"parameters", "input_schema", "inputSchema"}:
        return string(keys["name"])
    return None
