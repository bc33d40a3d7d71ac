"""Plain spans of a conversation, in order of their start -> the outline of a run.

They are gone through as a replay goes through them (`otlp_replay`), with no events in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeAlias, cast

from msgspec import UNSET, Struct

from agentcheck.model.event import FieldGroup
from agentcheck.trace.arguments import arguments_in, encode_text, read_arguments
from agentcheck.trace.finish import finish_reason
from agentcheck.trace.outline import Outline
from agentcheck.trace.outlined import CUT
from agentcheck.trace.prices import whole_input
from agentcheck.trace.readers import otlp_plain as plain
from agentcheck.trace.readers.items import Given
from agentcheck.trace.readers.otlp_parts import part_given
from agentcheck.trace.readers.otlp_plain import CallPart, PlainNode, PlainSpan, UnclearError
from agentcheck.trace.readers.otlp_replay import ARGUMENTS, INPUT, KNOWN, OUTPUT, RESULT, SILENT
from agentcheck.trace.readers.otlp_tree import CONVERSATION
from agentcheck.trace.readers.otlp_values import STEPS
from agentcheck.trace.tally import Tally


def plain_run(held: Iterable[PlainSpan], lost: int, *, torn: bool) -> Outline | None:
    """The outline of the only conversation of a trace, None where it cannot be told."""
    try:
        found = [plain.plain_node(span) for span in held]
        nodes = {node.id: node for node in found}
        if len(nodes) != len(found) or not _is_one(found):
            return None
        return _Walk(nodes).told(lost, torn=torn)
    except UnclearError:
        return None


def _is_one(nodes: Iterable[PlainNode]) -> bool:
    """Whether the spans are of one conversation, and only those that say something name it."""
    names: set[str | None] = set()
    for node in nodes:
        named = CONVERSATION in node.facts
        if node.kind:
            names.add(plain.text_in(node.facts, CONVERSATION) if named else None)
        elif named:
            return False
    return len(names) == 1


class _Call(Struct, gc=False):
    name: str
    call_id: str | None
    waiting: bool = True
    answered: bool = False


_Place: TypeAlias = tuple[str | None, str | None, bool]
"""The agent that a span happened in, the loop, which is the span of an agent above, and whether a
request to a model is above, which it may tell of once more."""


_CACHES = frozenset((*plain.READ, *plain.WRITTEN))


class _Walk:
    __slots__ = ("_before", "_calls", "_heard", "_known", "_nodes", "_open", "_places", "_tally")

    def __init__(self, nodes: dict[str, PlainNode]) -> None:
        self._nodes = nodes
        self._places: dict[str | None, _Place] = {}
        self._before: dict[str | None, tuple[str, int]] = {}
        self._heard: set[tuple[str, str, str | None]] = set()
        self._open: dict[str | None, list[_Call]] = {}
        self._calls: list[_Call] = []
        self._known: set[FieldGroup] = set(KNOWN)
        self._tally = Tally()

    def told(self, lost: int, *, torn: bool) -> Outline:
        """The outline of the run. Raises UnclearError."""
        nodes = self._nodes
        mine = sorted([n for n in nodes.values() if n.kind], key=attrgetter("order"))
        for node in mine:
            if node.start is not None:
                self._known.add("time")
            if node.kind == "model":
                self._asked(node)
            elif node.kind == "tool":
                self._ran(node)
            elif node.kind not in SILENT:
                raise UnclearError
        head = next((n for n in mine if n.kind == "agent"), mine[0])
        orphans = {n.parent for n in nodes.values()} - nodes.keys() - {None} if torn else ()
        self._tally.flags.paired = all([call.answered for call in self._calls])  # noqa: C419 - quick
        name = self._place(head)[0] or "run"
        return self._tally.outline(name, frozenset(self._known), lost + len(orphans))

    def _asked(self, node: PlainNode) -> None:
        agent, loop, within = self._place(node)
        if within:
            raise UnclearError
        tally, facts = self._tally, node.facts
        if INPUT in facts:
            self._given(agent, loop, facts[INPUT].plain())
        elif self._before:
            self._before.pop(loop, None)
        reply = plain.reply_in(facts[OUTPUT].plain()) if OUTPUT in facts else None
        self._finish(facts, reply)
        flags = tally.flags
        if not flags.named:
            flags.named = any(plain.text_in(facts, key) for key in plain.MODEL_NAMES)
        tally.reply(loop, agent, self._used(facts))
        if reply is not None:
            self._known.add("content")
            if reply.text:
                tally.message("assistant", reply.text, agent)
            self._open[loop] = [self._call(part) for part in reply.calls]

    def _finish(self, facts: plain.Facts, reply: plain.Reply | None) -> None:
        """Takes in why a reply ended: by the span, else by the message."""
        told = facts[plain.FINISH].plain() if plain.FINISH in facts else None
        finish: str | None
        if told is not None:
            reasons = [r for r in (told if isinstance(told, list) else [told]) if r]
            if len(reasons) != 1 or not isinstance(reasons[0], str):
                raise UnclearError
            finish = reasons[0]
        elif reply is not None and reply.ends:
            finish = reply.finish
        else:
            return
        self._known.add("finish")
        if finish is not None and _is_cut(finish):
            self._tally.flags.cut = True

    def _used(self, facts: plain.Facts) -> int | None:
        given = plain.count(facts, plain.GIVEN)
        read = written = None
        if not _CACHES.isdisjoint(facts):
            read, written = plain.count(facts, plain.READ), plain.count(facts, plain.WRITTEN)
        if given is not None or read is not None or written is not None or _counted(facts):
            self._known.add("usage")
        if read is None and written is None:
            return given if given is None or given > 0 else 0
        self._tally.flags.cached = self._tally.flags.cached or read is not None
        return whole_input(given, read, written)

    def _call(self, part: CallPart) -> _Call:
        given = part.arguments
        if type(given) is dict:
            raw, value = encode_text(given), cast("dict[str, Any] | None", given)
        else:
            raw, value, _ = read_arguments(given)
        self._tally.call(part.name, raw, value)
        call = _Call(part.name, part.id)
        self._calls.append(call)
        return call

    def _ran(self, node: PlainNode) -> None:
        facts = node.facts
        name = plain.text_in(facts, plain.TOOL) or ""
        call_id, loop = plain.text_in(facts, plain.CALL_ID), self._place(node)[1]
        call = _answering(self._open.get(loop) or (), call_id, name)
        if call is None or call.name != name:
            given = plain.plain_in(facts, ARGUMENTS)
            given = None if given is UNSET else given
            if given is not None:
                if not isinstance(given, str):
                    raise UnclearError
                self._known.add("content")
            self._tally.call(name, given or "", arguments_in(given) if given else {})
        else:
            call.answered = True
        brought = plain.plain_in(facts, RESULT)
        brought = "" if brought is UNSET else brought
        if not isinstance(brought, str):
            raise UnclearError
        self._tally.result(brought)

    def _given(self, agent: str | None, loop: str | None, given: Any) -> None:
        """What an input of a loop holds for the first time.

        The one before stands at its head as it is written, or else there was none.
        """
        if not isinstance(given, str):
            raise UnclearError
        before, count = self._before.get(loop) or ("", 0)
        if count and given == before:
            return
        head = len(before) - 1
        if not count:
            items = plain.items_in(given)
        elif given[:head] == before[:head] and given[head : head + 1] == "," and before[-1] == "]":
            items = plain.items_in(f"[{given[head + 1 :]}")
        else:
            raise UnclearError
        self._before[loop] = given, count + len(items)
        new = [g for g in part_given(items, 0) if count or g[1:4] not in self._heard]
        self._heard.update([g[1:4] for g in new])
        opened = self._open.get(loop) or ()
        for each in new:
            self._hear(each, agent, opened, int(each.at) + count)

    def _hear(self, given: Given, agent: str | None, opened: Iterable[_Call], at: int) -> None:
        if given.call_id is None:
            if given.text:
                self._tally.message(given.role, given.text, agent, str(at))
            return
        if not given.call_id:
            raise UnclearError
        call = _answering(opened, given.call_id, "")
        if call is not None and not call.answered:
            call.answered = True
            self._tally.result(given.text)
            self._tally.flags.failed = self._tally.flags.failed or bool(given.failed)

    def _place(self, node: PlainNode) -> _Place:
        found = self._places.get(node.parent)
        if found is None:
            found = self._places[node.parent] = self._climbed(node.parent)
        own = plain.text_in(node.facts, plain.AGENT_NAME)
        return found if own is None else (own, *found[1:])

    def _climbed(self, parent: str | None) -> _Place:
        agent = loop = None
        within, steps = False, 0
        while parent is not None and steps < STEPS:
            above = self._nodes.get(parent)
            if above is None:
                break
            agent = (
                agent
                or plain.text_in(above.facts, plain.AGENT_NAME)
                or plain.text_in(above.facts, plain.LOOSE_NAME)
            )
            if loop is None and above.kind == "agent":
                loop = above.id
            within = within or above.kind == "model"
            parent, steps = above.parent, steps + 1
        return agent, loop, within


def _counted(facts: plain.Facts) -> bool:
    """Whether the tokens of a reply are told, or its cost."""
    if plain.count(facts, plain.MADE) is not None:
        return True
    return any(type(facts[key].plain()) in (int, float) for key in plain.COST if key in facts)


@lru_cache(256)
def _is_cut(finish: str) -> bool:
    return finish_reason(finish) in CUT


def _answering(opened: Iterable[_Call], call_id: str | None, name: str) -> _Call | None:
    """The call of a reply that a result is for, as `OpenCalls.answer` finds it."""
    if call_id:
        named = [call for call in opened if call.call_id == call_id]
        found = next((call for call in named if call.waiting), None) or next(iter(named), None)
    else:
        found = next((c for c in opened if c.waiting and c.name == name), None)
    if found is not None:
        found.waiting = False
    return found
