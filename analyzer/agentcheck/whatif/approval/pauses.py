"""Where a run waited for an answer, and what had been done in the same step until then."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.model.event import Approval, ModelCall, Run, ToolCall
from agentcheck.trace.amounts import cost_known, time_of, tokens_given, tokens_made
from agentcheck.trace.done import same_call, seems_done


class Pause(Struct, frozen=True):
    """A request for an approval, its answer, and what stands before it in the same step.

    If the pause stands in the step that asks the model, resuming begins that step anew: it pays
    for `reply` again and carries out `done` again. `repeated` are the calls that the record shows
    carried out again after the answer, with no call of the model in between.
    """

    asked: Approval
    call: ToolCall | None
    answer: Approval | None = None
    reply: ModelCall | None = None
    done: tuple[ToolCall, ...] = ()
    repeated: tuple[ToolCall, ...] = ()

    @property
    def waited(self) -> float | None:
        """Seconds from the question to the answer, None where a time is missing."""
        start = time_of(self.asked)
        end = time_of(self.answer) if self.answer is not None else None
        return None if start is None or end is None else max(end - start, 0.0)

    @property
    def tokens(self) -> int | None:
        """What the reply took and gave; None where it is not counted."""
        if self.reply is None:
            return None
        given, made = tokens_given(self.reply), tokens_made(self.reply)
        return None if given is None or made is None else given + made

    @property
    def cost(self) -> float | None:
        """What the reply cost, in US dollars."""
        return None if self.reply is None else cost_known(self.reply)


def pauses(run: Run) -> Iterator[Pause]:
    """Every request for an approval of a run."""
    calls = {call.call_key: call for call in run.all(ToolCall)}
    for asked in run.all(Approval):
        if asked.state != "requested":
            continue
        call = calls.get(asked.call_key or "")
        answer = _answer(run, asked)
        reply = _reply(run, call)
        yield Pause(
            asked,
            call,
            answer,
            reply,
            tuple(_done_before(run, call, reply, asked)),
            tuple(_repeated(run, answer, asked)),
        )


def _answer(run: Run, asked: Approval) -> Approval | None:
    later = (a for a in run.all(Approval) if a.seq > asked.seq and a.call_key == asked.call_key)
    return next((a for a in later if a.state != "requested"), None)


def _reply(run: Run, call: ToolCall | None) -> ModelCall | None:
    """The reply that a call came in: the last one before it."""
    if call is None:
        return None
    return next((r for r in reversed(run.all(ModelCall)) if r.seq < call.seq), None)


def _done_before(
    run: Run, call: ToolCall | None, reply: ModelCall | None, asked: Approval
) -> Iterator[ToolCall]:
    """The calls of the same reply that were carried out when the question came."""
    if call is None or reply is None:
        return
    for other in run.all(ToolCall):
        result = run.answers.get(other.call_key)
        if other.call_key == call.call_key or result is None or _reply(run, other) is not reply:
            continue
        if result.seq < asked.seq and seems_done(other, result):
            yield other


def _repeated(run: Run, answer: Approval | None, asked: Approval) -> Iterator[ToolCall]:
    """Calls after the answer, before the model is asked again, that equal one done before it."""
    if answer is None:
        return
    after = next((r.seq for r in run.all(ModelCall) if r.seq > answer.seq), None)
    before = {same_call(c) for c in run.all(ToolCall) if _carried_out(run, c, 0, asked.seq)}
    for call in run.all(ToolCall):
        if same_call(call) in before and _carried_out(run, call, answer.seq, after):
            yield call


def _carried_out(run: Run, call: ToolCall, start: int, end: int | None) -> bool:
    """Whether a call has its result between two places of a run."""
    result = run.answers.get(call.call_key)
    if result is None or not seems_done(call, result):
        return False
    return result.seq >= start and (end is None or result.seq < end)
