"""A tool gives the model nothing back.

The answer to its call is then "None" or an empty text. The model cannot tell success from
failure, so it guesses, reports what it hoped for, or makes the call again; what the tool prints
goes to a console that the model does not read.

Asked of every function, method and class that a model may call. Not meant are tools that steer the
run through their context, such as `tool_context.actions`, and bodies that are empty or that only
raise. A tool that gives a result on some paths and runs off its end on others is a lesser finding.
An explicit `return None` is taken as an answer where other paths give something.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    E,
    Fn,
    Hit,
    S,
    Site,
    Span,
    Tool,
    acts_by_name,
    dotted,
    fine,
    last_name,
    primary,
    related,
)
from agentcheck_rules.tools._bodies import bodied, falls_through, is_abstract

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC304",
    topic="tool-returns-nothing",
    title="A tool returns nothing to the model",
    question="Does every tool tell the model what came of the call?",
    severity="medium",
    confidence="high",
    at_stake="The model must learn from each call whether it worked.",
    consequence="The call is answered with `None`: a failure reads like a success, and the model "
    "reports what it hoped for or makes the call again.",
    owner="whoever owns the tool",
    smallest_change="Return a short text or object that says what was done, or why nothing was.",
    could_break="Code that calls the function itself and expects None.",
    acceptance="A scripted call of {tool} is answered with a text that says what was done, and "
    "with another one when nothing was.",
    tags=("correctness",),
)
LOOKED = (
    "a `return` with a value, or a `yield`",
    "a result that is given through the context of the run",
    "a body that is meant to be empty",
)
_STEERS = ("actions.", ".escalate", "end_invocation", "transfer_to_agent")
_SHOWS = frozenset({"print", "pprint", "info", "debug", "warning", "error", "exception", "echo"})


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a tool whose body is in the target."""
    for tool, fn in bodied(graph):
        yield _assess(graph, tool, fn)


def _assess(graph: AgentGraph, tool: Tool, fn: Fn) -> Assessment:
    here = related(tool.place, "a model may call this")
    if is_abstract(fn) or _steers(fn, graph):
        return fine(tool.name, "not-applicable", "it is empty or steers the run", here)
    given = [r for r in graph.tracer.results(fn) if not _is_none(r)]
    ends = falls_through(fn.facts.body)
    if not given:
        raises = not ends and not graph.tracer.results(fn) and not _returns(graph, fn)
        if raises or _hands_on(fn):
            return fine(tool.name, "not-applicable", "it never comes back", here)
        return _silent(graph, tool, fn)
    if ends and not fn.facts.is_generator:
        return _partly(tool, fn, given[0])
    return fine(tool.name, "met", "every path gives a result", here)


def _is_none(expr: E.Expr) -> bool:
    return isinstance(expr, E.Const) and expr.value is None


def _returns(graph: AgentGraph, fn: Fn) -> bool:
    return any(isinstance(at.stmt, S.Return) for at in graph.program.statements(fn))


def _hands_on(fn: Fn) -> bool:
    """Whether a decorator of unknown making may turn what is returned into something else."""
    return fn.facts.is_generator


def _steers(fn: Fn, graph: AgentGraph) -> bool:
    """Whether the body sets something on the context of the run, which acts on the loop."""
    for at in graph.program.statements(fn):
        if isinstance(at.stmt, S.Assign):
            names = [dotted(t) or "" for t in at.stmt.targets]
            if any(s in f"{n}." for n in names for s in _STEERS):
                return True
    return False


def _shown(graph: AgentGraph, fn: Fn) -> list[Site]:
    calls = graph.program.calls(fn)
    return [site for site, call in calls if last_name(call.func) in _SHOWS and call.args]


def _silent(graph: AgentGraph, tool: Tool, fn: Fn) -> Assessment:
    shown = _shown(graph, fn)
    name = tool.name
    hit = Hit(
        message=f"`{name}` returns nothing"
        + ("; what it prints does not reach the model." if shown else " on any path."),
        owner=fn.qualname,
        severity=None if shown or acts_by_name(name) else "low",
        failure_path=(
            f"the model calls `{name}`",
            "the call is answered with None or an empty text, whatever happened",
            "the model tells the user that it worked, or makes the call again",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"tool": name, "owner": fn.qualname},
    )
    evidence = (
        primary(tool.place, "no path of this returns a value"),
        *(related(s.place, "this is shown, but not to the model") for s in shown[-3:]),
    )
    return Assessment(subject=name, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)


def _partly(tool: Tool, fn: Fn, given: E.Expr) -> Assessment:
    name, after_error = tool.name, _after_error(fn.facts.body)
    what = "after an error" if after_error else "on some paths"
    hit = Hit(
        title="A tool returns nothing on some of its paths",
        message=f"`{name}` gives a result, but {what} it runs off its end and returns None.",
        owner=fn.qualname,
        severity="medium" if after_error else "low",
        confidence="medium",
        persona="regular" if after_error else "pedantic",
        failure_path=(
            f"the model calls `{name}`, and none of the cases with a result holds",
            "the call is answered with None",
            "the model cannot tell what went wrong, and makes the call again or makes something up",
        ),
        smallest_change="End the function with a result that says that nothing was done, and why.",
        challenge=Challenge("upheld", LOOKED),
        names={"tool": name, "owner": fn.qualname},
    )
    evidence = (
        primary(tool.place, f"{what} this returns nothing"),
        related(fn.place(given.span), "other paths give a result"),
        *(related(fn.place(h), "nothing is returned after this") for h in after_error[:2]),
    )
    return Assessment(subject=name, verdict="partly", why=hit.message, evidence=evidence, hit=hit)


def _after_error(body: tuple[S.Stmt, ...]) -> list[Span]:
    """The handlers that end the function without a result."""
    last = body[-1] if body else None
    if isinstance(last, S.With):
        return _after_error(last.body)
    if not isinstance(last, S.Try) or falls_through((*last.body, *last.orelse)):
        return []
    return [h.span for h in last.handlers if falls_through(h.body)]
