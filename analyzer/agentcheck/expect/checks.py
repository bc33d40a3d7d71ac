"""The expectations, one by one: does a run show what is expected, or can it not tell?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from agentcheck.expect.calls import check_calls, check_not_calls, check_order
from agentcheck.expect.cases import Expect
from agentcheck.expect.said import Said, failed, passed, unclear
from agentcheck.expect.statuses import check_status
from agentcheck.model.event import Event, Handoff, Message, ModelCall, Run, RunEnd, ToolCall
from agentcheck.trace.amounts import Amount, cost_in, seconds_of, tokens_of
from agentcheck.trace.endings import output_of
from agentcheck.trace.mask import excerpt


def check_run(run: Run, expect: Expect) -> Iterator[Said]:
    """What every expectation that is set says of a run."""
    for name, check in _CHECKS.items():
        wanted = getattr(expect, name)
        if wanted is not None:
            for said in check(run, wanted):
                yield Said(said.outcome, said.text, said.event, name)


def _text(where: str, *, there: bool) -> Callable[[Run, Sequence[str]], Iterator[Said]]:
    """Texts that must be there, or must not."""

    def check(run: Run, wanted: Sequence[str]) -> Iterator[Said]:
        if "content" not in run.known:
            yield unclear(f"This {run.format} record does not carry texts.")
            return
        places = list(_PLACES[where](run))
        for text in wanted:
            found = next((event for said, event in places if text in said), None)
            yield _sought(run, text, _NAMES[where], found, there=there)

    return check


def _sought(run: Run, text: str, where: str, found: Event | None, *, there: bool) -> Said:
    told = f'"{excerpt(text, most=80)}"'
    if found is None and run.unknown_records:
        return unclear(f"{told} may stand in what of the record could not be read.")
    if there == (found is not None):
        return passed()
    if there:
        return failed(f"{told} is not in {where}.", _end(run))
    return failed(f"{told} stands in {where}.", found)


def _answer(run: Run) -> Iterator[tuple[str, Event]]:
    said = output_of(run)
    if said:
        same = (m for m in reversed(run.all(Message)) if m.text == said)
        yield said, next(same, None) or run.events[-1]


def _written(run: Run) -> Iterator[tuple[str, Event]]:
    yield from _answer(run)
    for event in run.events:
        if isinstance(event, Message) and event.role == "assistant":
            yield event.text, event
        elif isinstance(event, ToolCall):
            yield event.arguments_raw, event
            for text in _strings(event.arguments):
                yield text, event


def _strings(value: Any, depth: int = 40) -> Iterator[str]:
    """The texts in arguments, as they are once JSON's escapes are undone."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item, depth - 1)


_PLACES = {"answer": _answer, "written": _written}
_NAMES = {"answer": "the final answer", "written": "what the agents wrote"}


def _handed(run: Run, wanted: Sequence[str]) -> Iterator[Said]:
    there = [h for h in run.all(Handoff) if h.accepted is not False]
    for agent in wanted:
        if any(h.to_agent == agent for h in there):
            yield passed()
        elif "handoffs" not in run.known:
            yield unclear(f"This {run.format} record does not carry handoffs.")
        elif run.unknown_records:
            yield unclear(f"A handoff to {agent} may be in what could not be read.")
        else:
            yield failed(f"The run does not hand over to {agent}.", _end(run))


def _not_handed(run: Run, unwanted: Sequence[str]) -> Iterator[Said]:
    there = [h for h in run.all(Handoff) if h.accepted is not False]
    for agent in unwanted:
        found = next((h for h in there if h.to_agent == agent), None)
        if found is not None:
            yield failed(f"The run hands over to {agent}.", found)
        elif "handoffs" not in run.known or run.unknown_records:
            yield unclear(f"Not all handoffs of this {run.format} record are known.")
        else:
            yield passed()


def _most(
    amount: Callable[[Run], Amount], shown: Callable[[float], str]
) -> Callable[[Run, float], Iterator[Said]]:
    """A budget: more is a failure, and so is a part of the use that is already more."""

    def check(run: Run, limit: float) -> Iterator[Said]:
        used = amount(run)
        if used.value is not None and used.value > limit:
            yield failed(f"The run used {shown(used.value)}; {limit:g} allowed.", _end(run))
        elif used.value is None or used.gap:
            yield unclear(f"It cannot be told what the run used: {used.gap}.")
        elif run.unknown_records:
            yield unclear("The run may have used more in what could not be read.")
        else:
            yield passed()

    return check


def _turns(run: Run) -> Amount:
    count = len(run.all(ModelCall))
    return Amount(count) if count else Amount(None, "the record holds no model call")


def _calls(run: Run) -> Amount:
    return Amount(len(run.all(ToolCall)))


def _end(run: Run) -> Event | None:
    ends = run.all(RunEnd)
    return ends[-1] if ends else run.events[-1] if run.events else None


class _Words(Struct, frozen=True):
    noun: str
    form: str = "{:,.0f} {}"

    def __call__(self, value: float) -> str:
        return self.form.format(value, self.noun)


_CHECKS: dict[str, Callable[[Run, Any], Iterator[Said]]] = {
    "status": check_status,
    "contains": _text("answer", there=True),
    "not_contains": _text("answer", there=False),
    "said": _text("written", there=True),
    "not_said": _text("written", there=False),
    "calls": check_calls,
    "not_calls": check_not_calls,
    "order": check_order,
    "handoff_to": _handed,
    "not_handoff_to": _not_handed,
    "max_turns": _most(_turns, _Words("turns")),
    "max_tool_calls": _most(_calls, _Words("tool calls")),
    "max_tokens": _most(tokens_of, _Words("tokens")),
    "max_cost_usd": _most(cost_in, _Words("US dollars", "{:.4f} {}")),
    "max_seconds": _most(seconds_of, _Words("seconds", "{:,.1f} {}")),
}
