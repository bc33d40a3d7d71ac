"""A tool name that the model invented raises where the tool is found by `getattr` or `next`.

Models now and then call a tool that does not exist: a name from another agent, from the prompt, or
made up. `getattr(self, name)` then raises AttributeError and `next(t for t in tools if t.name ==
name)` StopIteration, before the handler around the call of the tool is reached.

Looked for is a default (`getattr(self, name, None)`, `next(..., None)`), a `hasattr` or membership
test of the name, and a handler around the look-up and in the callers inside their loop. Look-ups
in a table, `TOOLS[name]`, are the matter of `tool-error-ends-run`, and so is a place where the
call of the tool itself is unguarded as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    E,
    Hit,
    Protection,
    Site,
    catches_all,
    code_kind,
    descend,
    find_dispatches,
    fine,
    near_calls,
    part,
    primary,
    protection,
    reached,
    related,
)
from agentcheck_rules.tools._dispatch import guard_evidence, looked_in
from agentcheck_rules.tools._lookup import is_tested

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC310",
    topic="unknown-tool-crashes",
    title="A tool name that the model invented ends the run",
    question="Is a tool that does not exist answered instead of raised?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="One invented tool name must not end the run.",
    consequence="AttributeError or StopIteration ends the session, its history is lost, and the "
    "call id stays unanswered.",
    owner="whoever dispatches tool calls",
    smallest_change="Give the look-up a default and answer the call id with the names that exist.",
    could_break="Code that relied on the exception to stop a run.",
    acceptance="A scripted call of a tool that does not exist yields a paired tool message in "
    "{owner} that says so, and the model is called again.",
    tags=("robustness",),
)
_ERRORS = {"getattr": ("AttributeError",), "next": ("StopIteration", "RuntimeError")}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a look-up of a tool by `getattr` or `next` with a name from the model."""
    reported = _reported(graph)
    for site, how, key in _lookups(graph):
        if id(site.expr) in reported:
            continue
        owner, found = site.fn.qualname, protection(graph, site, _ERRORS[how])
        here = related(site.place, "the tool is looked up here")
        caught = guard_evidence(found)
        if caught is not None:
            yield fine(owner, "met", "an unknown name is caught", here, caught)
        elif _has_default(site.call, how):
            yield fine(owner, "met", "the look-up has a default", here)
        elif _is_tested(graph, site, key):
            yield fine(owner, "met-differently", "the name is tested first", here)
        elif found.unsure:
            yield fine(owner, "cannot-tell", f"Whether it is caught: {found.unsure}.", here)
        else:
            yield _crash(site, how, found)


def _reported(graph: AgentGraph) -> set[int]:
    """The look-ups whose tool is called without a handler too, which another rule reports."""
    found = set[int]()
    for dispatch in find_dispatches(graph):
        tools = reached(graph, dispatch)
        own = bool(tools) and all(catches_all(graph, tool) for tool in tools)
        if dispatch.lookup is not None and not own and protection(graph, dispatch.site).open:
            found.add(id(dispatch.lookup.expr))
    return found


def _lookups(graph: AgentGraph) -> Iterator[tuple[Site, str, E.Expr]]:
    for fn in near_calls(graph):
        if code_kind(fn.file.path) == "test":
            continue
        for site, call in graph.program.calls(fn):
            if type(call.func) is not E.Name or call.func.id not in ("getattr", "next"):
                continue
            match call:
                case E.Call(func=E.Name(id="getattr"), args=(_, second, *_)):
                    keys = [second.value]
                case E.Call(func=E.Name(id="next"), args=(first, *_)):
                    keys = _compared(first.value)
                case _:
                    continue
            key = next((k for k in keys if part(graph, k, fn) == "name"), None)
            if key is not None:
                yield site, "next" if len(keys) > 1 else "getattr", key


def _compared(expr: E.Expr) -> list[E.Expr]:
    """Both sides of the one equation that a generator selects by."""
    loops = expr.loops if isinstance(expr, E.Comp) else ()
    conditions = [c for loop in loops for c in loop.conditions]
    sides = [
        side
        for c in conditions
        for e in descend(c)
        if isinstance(e, E.Compare) and e.ops == ("==",)
        for side in (e.left, *e.rights)
    ]
    return sides if len(sides) == 2 else []


def _has_default(call: E.Call, how: str) -> bool:
    return len(call.args) > (2 if how == "getattr" else 1)


def _is_tested(graph: AgentGraph, site: Site, key: E.Expr) -> bool:
    asked = any(
        isinstance(call.func, E.Name) and call.func.id == "hasattr"
        for _, call in graph.program.calls(site.fn)
    )
    return asked or is_tested(graph, site.fn, key)


def _crash(site: Site, how: str, found: Protection) -> Assessment:
    owner = site.fn.qualname
    error = _ERRORS[how][0]
    hit = Hit(
        message=f"`{owner}` finds a tool with `{how}`, which raises for a name that is not there.",
        owner=owner,
        failure_path=(
            "the model asks for a tool that does not exist",
            f"`{how}` in `{owner}` raises {error}",
            "the exception leaves the run, and the call id is never answered",
        ),
        challenge=Challenge("upheld", looked_in(found, "a handler, a default or a test")),
        names={"owner": owner},
    )
    evidence = (primary(site.place, f"this raises {error} for a name that is not there"),)
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
