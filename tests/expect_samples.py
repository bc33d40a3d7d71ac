"""Recorded runs for golden cases: one with calls, one that waits, one that hands over."""

from __future__ import annotations

from pathlib import Path

from tests.trace_samples import Sdk, asked, assistant, item, lines, result, user

REFUND = [
    user("Refund  order\nA-17."),
    assistant(None, asked("find_order", {"order": "A-17"})),
    result("delivered"),
    assistant(None, asked("refund", {"order": "A-17", "by": {"card": True, "cents": 1250}})),
    result("done"),
    assistant("Order A-17 is refunded."),
]


def sdk(tmp_path: Path, trace: Sdk) -> Path:
    return lines(tmp_path / "sdk.jsonl", trace.rows)


def waiting(tmp_path: Path) -> Path:
    """A run that stopped to ask whether a card may be cancelled."""
    trace = Sdk()
    task, agent = trace.opening()
    call = item("cancel_card", {"card": 7})
    turn = trace.turn(agent, 1, call)
    trace.ran(turn, call, None)
    trace.end(turn, agent, task)
    return sdk(tmp_path, trace)


def handing(tmp_path: Path) -> Path:
    """A run that hands over from Desk to Cards and answers there."""
    trace = Sdk()
    task, agent = trace.opening()
    turn = trace.turn(agent, 1, item("transfer_to_cards"))
    trace.end(trace.span(turn, "handoff", from_agent="Desk", to_agent="Cards"))
    trace.end(turn, agent)
    cards = trace.span(task, "agent", name="Cards", handoffs=[], tools=[])
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text"}]}
    said["content"] = [{"type": "output_text", "text": "Your card is cancelled."}]
    trace.end(trace.turn(cards, 1, said), cards, task)
    return sdk(tmp_path, trace)
