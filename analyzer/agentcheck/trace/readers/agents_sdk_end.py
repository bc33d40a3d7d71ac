"""How a trace of the OpenAI Agents SDK ended."""

from __future__ import annotations

from agentcheck.trace.readers.agents_sdk_spans import SdkSpan, Tree
from agentcheck.trace.readers.items import calls_in, texts_in
from agentcheck.trace.replay import Status

Ending = tuple[str | None, Status, str | None]


def ending(tree: Tree, *, waiting: bool) -> Ending:
    """The span that shows the end, the status, and the final output.

    A turn limit leaves its number in the error of the agent's span; the span shown is then the
    last turn of that loop. `waiting` says that a call waits for an approval.
    """
    stopped = next((s for s in tree.ordered if s.failure("max_turns") is not None), None)
    if stopped is not None:
        return _last_turn(tree, stopped), "max_turns", None
    failed = next((s for s in tree.ordered if s.kind in ("agent", "task") and s.failed), None)
    if failed is not None:
        return failed.id, "error", None
    if waiting:
        return None, "interrupted", None
    return _last_reply(tree)


def _last_turn(tree: Tree, stopped: SdkSpan) -> str:
    turns = [s for s in tree.ordered if s.kind == "turn" and _within(tree, s, stopped)]
    return (turns or [stopped])[-1].id


def _within(tree: Tree, span: SdkSpan, outer: SdkSpan) -> bool:
    """Whether a span belongs to the loop of another, or hangs below it."""
    return tree.loop(span) == tree.loop(outer) or outer in tree.up(span)


def _last_reply(tree: Tree) -> Ending:
    replies = [s for s in tree.ordered if s.kind == "generation"]
    if not replies or next(calls_in(replies[-1].get("output")), None) is not None:
        return None, "unknown", None
    said = texts_in(replies[-1].get("output"))
    return replies[-1].id, "completed" if said else "unknown", said or None
