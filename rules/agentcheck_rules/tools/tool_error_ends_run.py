"""A tool that raises, or a tool name the model invented, ends the run.

Tools fail: a service is down, an argument is missing, a name does not exist. The model can deal
with all of that if it is told. Where the dispatcher lets the exception through, one failing tool
loses the whole conversation.

Looked for is a handler around the call and around the look-up of the tool's name (a membership
test or `.get` counts for the latter), in the function, in the wrappers that decorators put around
it, and in the callers inside their loop; where a task keeps the exception, where it is awaited;
and one inside every tool that can be reached. A handler of some exceptions only is answered in
part. A function that refuses a tool's result by raising is looked at in the same way. Where a
function is kept as a value and nobody can say who calls it, the answer is that it cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Dispatch,
    E,
    Fn,
    Hit,
    Protection,
    S,
    Site,
    catches_all,
    code_kind,
    find_dispatches,
    fine,
    last_name,
    primary,
    protection,
    reached,
    refused_results,
    related,
)
from agentcheck_rules._answering import answered
from agentcheck_rules.tools._dispatch import (
    batch_evidence,
    guard_evidence,
    looked_in,
    narrow_guard,
)
from agentcheck_rules.tools._lookup import bare_lookups, is_tested
from agentcheck_rules.tools._run_tool_error_ends_run import check_run, usual_run

__all__ = ["CARD", "check", "check_run", "usual_run"]
CARD = Card(
    code="AC302",
    topic="tool-error-ends-run",
    title="An exception in a tool ends the run",
    question="Does the model get an error result when a tool raises or does not exist?",
    severity="high",
    confidence="high",
    remedy_confidence="high",
    at_stake="A failing tool must reach the model as a result, not end the run.",
    consequence="One exception in any tool ends the session and loses its history; the call id "
    "stays unanswered.",
    owner="whoever dispatches tool calls",
    smallest_change="Catch exceptions around the call, answer the call id with the error's text, "
    "and go on; answer unknown names the same way.",
    could_break="Code that relied on tool exceptions to stop a run.",
    acceptance="A scripted call to a tool that raises yields a paired tool message in {owner} that "
    "says so, and the model is called again.",
    tags=("robustness",),
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a place that runs a tool of the model's choice, one a bare look-up."""
    dispatches = [d for d in find_dispatches(graph) if code_kind(d.fn.file.path) != "test"]
    open_ones: dict[Fn, list[tuple[Dispatch, Protection]]] = {}
    for dispatch in dispatches:
        found = protection(graph, dispatch.site)
        if found.open and _is_left_open(graph, dispatch):
            found.unsure = "it is left to whoever implements the call"
        if found.open and not _tools_catch(graph, dispatch):
            open_ones.setdefault(dispatch.fn, []).append((dispatch, found))
        else:
            yield _harmless(dispatch, found)
    yield from (_unguarded(graph, group) for group in open_ones.values())
    open_lookups = {
        id(d.lookup.expr) for g in open_ones.values() for d, _ in g if d.lookup is not None
    }
    yield from _lookups(graph, open_lookups)
    yield from _refused(graph, dispatches)


def _is_left_open(graph: AgentGraph, dispatch: Dispatch) -> bool:
    """Whether the tool is run by an abstract method, or by a workbench that is not in the target.

    Implementations decide what becomes of an exception; AutoGen's workbenches give it back as a
    result (autogen-core 0.7 `StaticWorkbench.call_tool`).
    """
    callees = graph.calls.callees(dispatch.site)
    if callees:
        return any(last_name(d) == "abstractmethod" for c in callees for d in c.facts.decorators)
    expr = dispatch.site.expr
    call = expr.value if isinstance(expr, E.Await) else expr
    func = call.func if isinstance(call, E.Call) else None
    if not isinstance(func, E.Attr) or func.attr != "call_tool":
        return False
    return any("workbench" in name.lower() for name in _names_of(func.value, dispatch.site))


def _names_of(held: E.Expr, site: Site) -> Iterator[str]:
    """What an expression is called, and what a loop around it calls the many it is one of."""
    yield last_name(held) or ""
    for ctx in site.around():
        match ctx.stmt:
            case S.For(target=E.Name(id=name), iter=many) if name == last_name(held):
                yield last_name(many) or ""
            case _:
                continue


def _tools_catch(graph: AgentGraph, dispatch: Dispatch) -> bool:
    """Whether every tool that can be reached catches what goes wrong inside it."""
    tools = reached(graph, dispatch)
    return bool(tools) and all(catches_all(graph, tool) for tool in tools)


def _harmless(dispatch: Dispatch, found: Protection) -> Assessment:
    subject = dispatch.fn.qualname
    here = related(dispatch.site.place, "a tool of the model's choice runs here")
    caught = guard_evidence(found)
    if found.unsure:
        return fine(subject, "cannot-tell", f"Whether it is caught: {found.unsure}.", here)
    if caught is None:
        return fine(subject, "met-differently", "every tool catches its own exceptions", here)
    return fine(subject, "met", "what a tool raises is caught", here, caught)


def _unguarded(graph: AgentGraph, group: list[tuple[Dispatch, Protection]]) -> Assessment:
    dispatch, found = group[0]
    owner = dispatch.fn.qualname
    guards = [narrow_guard(d.site) for d, _ in group]
    narrow = guards[0] if all(guards) else None
    message = f"`{owner}` runs whatever tool the model named, and nothing catches what it raises."
    if narrow is not None:
        message = f"`{owner}` catches some of what a tool can raise; the rest ends the run."
    hit = Hit(
        message=message,
        owner=owner,
        severity="low" if narrow is not None else None,
        failure_path=(
            "the model calls a tool",
            "the tool raises, or its arguments do not fit its parameters",
            f"the exception leaves `{owner}` and then the run",
            "the call id is never answered",
        ),
        challenge=Challenge(
            "weakened" if narrow is not None else "upheld",
            looked_in(found, "a handler of exceptions"),
        ),
        names={"owner": owner},
        fix=answered(graph, [d.site for d, _ in group], "Exception", "Error"),
    )
    evidence: list[CodeEvidence] = [
        primary(dispatch.site.place, "an exception of the tool goes through here"),
        *(related(d.site.place, "and through here") for d, _ in group[1:4]),
        *batch_evidence(graph, dispatch.site),
        *([narrow] if narrow is not None else []),
    ]
    return Assessment(
        subject=owner,
        verdict="not-met" if narrow is None else "partly",
        why=hit.message,
        evidence=tuple(evidence),
        hit=hit,
    )


def _lookups(graph: AgentGraph, reported: set[int]) -> Iterator[Assessment]:
    for site, index in bare_lookups(graph):
        found = protection(graph, site, ("KeyError", "LookupError"))
        if id(site.expr) in reported or not found.open or is_tested(graph, site.fn, index.index):
            continue
        owner = site.fn.qualname
        hit = Hit(
            title="A tool name that the model invented ends the run",
            message=f"`{owner}` looks a tool up by the name the model gave; an unknown one raises.",
            owner=owner,
            severity="medium",
            failure_path=(
                "the model asks for a tool that does not exist",
                f"the look-up in `{owner}` raises KeyError",
                "the call id is never answered",
            ),
            challenge=Challenge("upheld", looked_in(found, "a handler or a test of the name")),
            names={"owner": owner},
            fix=answered(graph, [site], "KeyError", "Error: no such tool"),
        )
        evidence = (primary(site.place, "this raises for a name that is not there"),)
        yield Assessment(
            subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit
        )


def _refused(graph: AgentGraph, dispatches: list[Dispatch]) -> Iterator[Assessment]:
    """Functions that raise when a tool's result is not what they want."""
    seen: set[Fn] = set()
    for dispatch in dispatches:
        for site in refused_results(graph, dispatch):
            if site.fn not in seen:
                seen.add(site.fn)
                yield _refusal(site, dispatch)


def _refusal(site: Site, dispatch: Dispatch) -> Assessment:
    owner = site.fn.qualname
    hit = Hit(
        title="A tool's result that is not what was expected ends the run",
        message=f"`{owner}` raises when it cannot use a tool's result, and nothing catches that.",
        owner=owner,
        severity="low",
        failure_path=(
            "a tool returns something unexpected",
            f"`{owner}` raises, and the exception leaves the run",
            "the call id is never answered",
        ),
        smallest_change="Answer the call id with the message of the error instead of raising it.",
        challenge=Challenge("upheld", (f"a handler around the calls of `{owner}`",)),
        acceptance="A scripted tool that returns what {owner} refuses yields a paired tool message "
        "that says so, and the model is called again.",
        names={"owner": owner, "refuses": "result"},
    )
    evidence = (
        primary(site.place, "this leaves the run"),
        related(dispatch.site.place, "the result comes from here"),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
