"""The fix that answers a call id when something on the way to its answer raises.

It takes the shape of the answer from the code: the statement of the same loop that appends a tool
message for the call, or of the function that returns one. A copy of it with the error for content
goes into a handler.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.rule import (
    AgentGraph,
    E,
    Edit,
    Fix,
    S,
    Site,
    descend,
    edit_guard,
    edit_handler,
    last_name,
    own_exprs,
)
from agentcheck_rules._answer_copy import Answer, answers_in, answers_of, copied
from agentcheck_rules._bound_before import BoundBefore, free_name

_WIDE = frozenset({"Exception", "BaseException", "ValueError"})


def answered(graph: AgentGraph, sites: Sequence[Site], error: str, says: str) -> Fix | None:
    """Each statement of some sites in a `try` whose handler of `error` answers the call id.

    `says` begins the content of the answer. None where one of the statements is in no loop that
    answers tool calls, or where no answer is found there that could be copied.
    """
    edits = list[Edit]()
    for site in sites:
        edit = _edit(graph, site, error, says)
        if edit is None:
            return None
        edits.append(edit)
    what = f"Catch `{error}` there and answer the call id with the error."
    return Fix("unsafe", what, tuple(dict.fromkeys(edits)))


def _edit(graph: AgentGraph, site: Site, error: str, says: str) -> Edit | None:
    caught = free_name(graph, site.fn, "error", "exc", "tool_error")
    answers, after = _answers(site)
    tried = _tried(site)
    if caught is None or _is_inner(site) or (tried is not None and not _may_add(site, tried)):
        return None
    known, content = BoundBefore(graph, site), f'f"{says}: {{{caught}}}"'
    found = [copied(site.fn, answer, known, content) for answer in answers]
    copies = [copy for copy in found if copy is not None]
    if not copies:
        return None
    _, text = min(copies, key=lambda copy: copy[0])
    how, code = f"{error} as {caught}", f"{text}\n{after}"
    if tried is not None:
        return edit_handler(site.fn, tried, how, code)
    return edit_guard(site.fn, site.at.stmt, how, code)


def _answers(site: Site) -> tuple[list[Answer], str]:
    """The answers that fit a place, and what follows one there."""
    stmt = site.at.stmt
    loops = [ctx.stmt for ctx in site.at.around() if isinstance(ctx.stmt, (S.For, S.While))]
    if not loops and isinstance(stmt, (S.Assign, S.AugAssign, S.Do, S.Return)):
        return list(answers_of(site.fn)), ""
    if loops and isinstance(loops[0], S.For) and isinstance(stmt, (S.Assign, S.AugAssign, S.Do)):
        return list(answers_in(loops[0])), "continue\n"
    return [], ""


def _tried(site: Site) -> S.Try | None:
    """The `try` on the way to the loop whose handlers may be meant for what is raised here.

    A new one inside would take that away from them: `except NotImplementedError` that tries
    another way, for example.
    """
    for ctx in site.at.around():
        if isinstance(ctx.stmt, (S.For, S.While)):
            return None
        if isinstance(ctx.stmt, S.Try) and ctx.part == "body" and ctx.stmt.handlers:
            return ctx.stmt
    return None


def _may_add(site: Site, tried: S.Try) -> bool:
    """Whether a handler behind the others of a `try` is for this one statement, and reached."""
    kinds = [handler.type for handler in tried.handlers]
    wide = any(kind is None or any(last_name(e) in _WIDE for e in descend(kind)) for kind in kinds)
    return len(tried.body) == 1 and tried.body[0] is site.at.stmt and not wide


def _is_inner(site: Site) -> bool:
    """Whether the site belongs to a comprehension or lambda, which has turns of its own."""
    return any(
        isinstance(outer, (E.Comp, E.Lambda)) and any(e is site.expr for e in descend(outer))
        for own in own_exprs(site.at.stmt)
        for outer in descend(own)
    )
