"""Replies that hand over to two agents at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    Assessment,
    Event,
    Handoff,
    ModelCallEvent,
    Outline,
    Run,
    ToolCall,
    TraceSettings,
    Usual,
    run_hit,
    run_lacks,
    run_not_applicable,
)


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Did every reply hand over to one agent at most?

    Not applicable where each did, for then nothing put the rule for two to the test.
    """
    handoffs = run.all(Handoff)
    lacking = run_lacks(run, run.name, "handoffs")
    if lacking is not None:
        yield lacking
        return
    races = [group for group in _by_reply(run) if len({h.to_agent for h in group}) > 1]
    yield from (_hit(run, group) for group in races)
    if not races:
        why = f"No reply handed over to two agents, among {len(handoffs)} handoffs."
        yield run_not_applicable(run, run.name, why)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No agent handed over, or none could be seen to."""
    if "handoffs" not in outline.known:
        return outline.unclear()
    return None if outline.handed else outline.idle()


def _by_reply(run: Run) -> list[list[Handoff]]:
    """Handoffs by the reply whose call asked for them; without a call, by their own record."""
    replies: dict[str, object] = {}
    reply = 0
    groups: dict[object, list[Handoff]] = {}
    for event in run.events:
        if isinstance(event, ModelCallEvent):
            reply += 1
        elif isinstance(event, ToolCall):
            replies[event.call_key] = reply
        elif isinstance(event, Handoff):
            where = replies.get(event.call_key or "", event.source.record)
            groups.setdefault(where, []).append(event)
    return list(groups.values())


def _hit(run: Run, group: Sequence[Handoff]) -> Assessment:
    targets = list(dict.fromkeys(h.to_agent for h in group))
    refused = any(h.accepted is False for h in group)
    who = group[0].from_agent or run.name
    end = "one was carried out, the other refused" if refused else "the record shows no refusal"
    return run_hit(
        who,
        f"One reply of {who} handed over to {' and '.join(targets)}; {end}.",
        _told(run, group),
        owner=f"the dispatcher of {who}'s handoffs",
        path=(
            f"{who} asks for {len(group)} handoffs in one reply",
            "the dispatcher meets them one after the other",
            "one wins by its place in the reply, and the work of the other is lost",
        ),
        looked_for=("a refusal of all handoffs but one, told to the model",),
        weakened=refused,
        partly=refused,
    )


def _told(run: Run, group: Sequence[Handoff]) -> list[tuple[Event, str]]:
    keys = {h.call_key for h in group}
    told: list[tuple[Event, str]] = [
        (call, f"Handoff call {call.batch + 1} of the reply.")
        for call in run.all(ToolCall)
        if call.call_key in keys
    ]
    return told + [(handoff, _said(handoff)) for handoff in group]


def _said(handoff: Handoff) -> str:
    fate = {True: "carried out", False: "refused", None: "asked for"}[handoff.accepted]
    return f"The handoff to {handoff.to_agent}: {fate}."
