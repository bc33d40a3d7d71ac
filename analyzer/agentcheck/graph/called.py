"""Calls of objects as if they were functions: `agent("...")` is `Agent.__call__` of the SDK."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.models import ModelCall, RunCall
from agentcheck.graph.origin import Origin
from agentcheck.graph.origins import Tracer
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework, RunEntry
    from agentcheck.frameworks.schema import ModelCall as ModelCallData

CALL = "__call__"
Found = TypeVar("Found", ModelCall, RunCall)
Asking: TypeAlias = "dict[str, tuple[ModelCallData, str]]"
Running: TypeAlias = "dict[str, tuple[RunEntry, str]]"


def in_order(found: list[Found]) -> list[Found]:
    """What was found, in source order."""
    return sorted(found, key=lambda each: each.site.place)


def find_called(
    tracer: Tracer, frameworks: Sequence[Framework]
) -> tuple[list[ModelCall], list[RunCall]]:
    """The calls of objects that ask a model, and those that run an agent's loop.

    They are the `__call__` methods that the frameworks' data name. A class is told from its
    objects by where they come from, since both are known by the class's name.
    """
    asking, running = _asking(frameworks), _running(frameworks)
    asked, runs = list[ModelCall](), list[RunCall]()
    for site, names in _objects(tracer, {*asking, *running}):
        for name in sorted(names & asking.keys())[:1]:
            asked.append(ModelCall(site, *asking[name]))
        for name in sorted(names & running.keys())[:1]:
            runs.append(RunCall(site, *running[name], called=True))
    return asked, runs


def _asking(frameworks: Sequence[Framework]) -> Asking:
    return {
        owner: (data, framework.name)
        for framework in frameworks
        for data in framework.model_call
        if CALL in data.methods
        for owner in data.client
    }


def _running(frameworks: Sequence[Framework]) -> Running:
    return {
        name.removesuffix(f".{CALL}"): (data, framework.name)
        for framework in frameworks
        for data in framework.run
        for name in data.names
        if name.endswith(f".{CALL}")
    }


def _objects(tracer: Tracer, owners: set[str]) -> Iterator[tuple[Site, frozenset[str]]]:
    """Every call of an object of one of the classes, with the names that the object has."""
    for fn in tracer.program.every_function() if owners else ():
        for site, call in tracer.program.calls(fn):
            names = tracer.resolver.dotted(call.func, fn)
            known = names & owners and _is_object(tracer, call.func, fn, owners)
            if known and not tracer.calls.callees(site):
                yield site, names


def _is_object(tracer: Tracer, func: E.Expr, fn: Fn, owners: set[str]) -> bool:
    """Whether an expression is what a constructor gave, or a parameter of that type."""
    return any(
        origin.kind == "param" or _is_made(tracer, origin, owners)
        for origin in tracer.local(func, fn)
        if not origin.steps
    )


def _is_made(tracer: Tracer, origin: Origin, owners: set[str]) -> bool:
    if origin.kind != "call" or not isinstance(origin.expr, E.Call):
        return False
    return bool(tracer.resolver.dotted(origin.expr.func, origin.fn) & owners)
