"""Loops that gather a conversation in a local variable, and what else keeps it."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    E,
    S,
    Site,
    code_kind,
    descend,
    first_reply_ends,
    last_name,
)

_ADDS = frozenset({"append", "extend", "insert"})
_MESSAGES = frozenset(
    "messages message history chat_history conversation thread turns transcript context "
    "input_items inputs items memory convo dialog dialogue log".split()
)
# Arguments and calls that keep a conversation where it outlives the process's exception.
_KEEPERS = frozenset(
    "session checkpointer thread_id conversation_id previous_response_id session_id store "
    "storage db".split()
)
_SAVES = frozenset(
    "save dump write write_text commit persist checkpoint save_history save_messages "
    "save_session add_session_to_memory append_event save_context".split()
)


def holding_loops(graph: AgentGraph) -> Iterator[AgentLoop]:
    """The loops outside tests on whose turns messages are gathered in a local variable."""
    for loop in graph.loops:
        shipped = code_kind(loop.fn.file.path) != "test"
        gathers = shipped and isinstance(loop.stmt, S.While) and _gathers(graph, loop)
        if gathers and not first_reply_ends(graph.calls, loop.stmt, loop.sites):
            yield loop


def _gathers(graph: AgentGraph, loop: AgentLoop) -> bool:
    return any(_adds(site) for site in _inside(graph, loop))


def _inside(graph: AgentGraph, loop: AgentLoop) -> Iterator[Site]:
    for site in graph.program.sites(loop.fn):
        if any(c.stmt is loop.stmt for c in site.at.around()):
            yield site


def _adds(site: Site) -> bool:
    """`messages.append(...)` on a variable, or `messages += [...]`."""
    stmt = site.at.stmt
    if isinstance(stmt, S.AugAssign) and stmt.target is site.expr:
        return stmt.op == "+=" and _is_messages(stmt.target)
    match site.expr:
        case E.Call(func=E.Attr(attr=attr, value=E.Name() as name)):
            return attr in _ADDS and _is_messages(name)
        case _:
            return False


def _is_messages(target: E.Expr) -> bool:
    if not isinstance(target, E.Name):
        return False
    words = target.id.lower().split("_")
    return target.id.lower() in _MESSAGES or words[-1] in _MESSAGES


def is_kept(graph: AgentGraph, loop: AgentLoop) -> Site | None:
    """Where a turn hands its conversation to something that outlives an exception."""
    for site in _inside(graph, loop):
        if isinstance(site.expr, E.Call) and (_saves(site.expr) or _keeper(site.expr)):
            return site
    return None


def _saves(call: E.Call) -> bool:
    return (last_name(call.func) or "") in _SAVES


def _keeper(call: E.Call) -> bool:
    """A call given a session or a thread, also inside its configuration."""
    named = {a.name for a in call.args} | {
        e.value for a in call.args for e in descend(a.value) if isinstance(e, E.Const)
    }
    return bool(_KEEPERS & {n for n in named if isinstance(n, str)})
