"""What a name or an attribute was given, as written: one step back, across modules and classes."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.graph.handles import Fn, Klass
from agentcheck.graph.origins import MANY, Tracer
from agentcheck.graph.reaching import reaching
from agentcheck.graph.resolve import ClassRef, Instance, ModuleRef
from agentcheck.graph.scope import Binding
from agentcheck.model import expr as E

Meaning = tuple[E.Expr, Fn]
DEPTH = 6


def meanings(tracer: Tracer, expr: E.Name | E.Attr, fn: Fn) -> list[Meaning]:
    """The expressions that it may stand for, each with the function it is written in.

    Parameters are what callers pass, or their default where some leave them out.
    """
    found = _name(tracer, expr, fn) if isinstance(expr, E.Name) else _attribute(tracer, expr, fn)
    once = {id(e): (e, f) for e, f in found if e is not expr}
    return list(once.values())[:MANY]


def _name(tracer: Tracer, name: E.Name, fn: Fn) -> Iterator[Meaning]:
    here: Fn | None = fn
    while here is not None:
        bindings = tracer.program.scope(here).get(name.id)
        if bindings:
            able = reaching(bindings, name.where) if here is fn else bindings
            for binding in able[:MANY]:
                yield from _bound(tracer, binding, here, DEPTH)
            return
        here = tracer.program.parent(here)
    for imported in fn.file.imports:
        source = tracer.program.modules.of_import(imported, fn.file.path)
        if imported.name == "*" and source is not None:
            yield from _exported(tracer, source, name.id, DEPTH)


def _bound(tracer: Tracer, binding: Binding, fn: Fn, depth: int) -> Iterator[Meaning]:
    if binding.how == "value" and binding.expr is not None:
        yield binding.expr, fn
    elif binding.how == "param" and binding.param is not None:
        yield from _passed(tracer, binding.param, fn)
    elif binding.how == "import" and binding.imported is not None and binding.imported.name:
        source = tracer.program.modules.of_import(binding.imported, fn.file.path)
        if source is not None:
            yield from _exported(tracer, source, binding.imported.name, depth - 1)


def _exported(tracer: Tracer, source: str, name: str, depth: int) -> Iterator[Meaning]:
    module = tracer.program.module(source)
    for binding in tracer.program.scope(module).get(name, ())[:MANY] if depth >= 0 else ():
        yield from _bound(tracer, binding, module, depth)


def _passed(tracer: Tracer, param: E.Param, fn: Fn) -> Iterator[Meaning]:
    missing = False
    for site in tracer.calls.callers(fn)[:MANY]:
        given = tracer.calls.argument(site, fn, param)
        if given is not None:
            yield given, site.fn
        missing = missing or tracer.calls.leaves_out(site, fn, param)
    if missing and param.default is not None:
        yield param.default, tracer.program.parent(fn) or fn


def _attribute(tracer: Tracer, expr: E.Attr, fn: Fn) -> Iterator[Meaning]:
    for symbol in tracer.resolver.of(expr.value, fn):
        match symbol:
            case ModuleRef(path=path):
                yield from _exported(tracer, path, expr.attr, DEPTH)
            case Instance(klass=klass) | ClassRef(klass=klass):
                yield from of_attribute(tracer, klass, expr.attr)
            case _:
                continue


def of_attribute(tracer: Tracer, klass: Klass, attr: str) -> Iterator[Meaning]:
    """What the methods of a class or its body put in an attribute, inherited ones included."""
    for here in tracer.resolver.mro(klass):
        yield from tracer.resolver.attribute_values(here, attr)
        host = tracer.program.functions[here.file.path][here.facts.parent]
        for binding in tracer.program.class_scope(here).get(attr, ()):
            if binding.how == "value" and binding.expr is not None:
                yield binding.expr, host
