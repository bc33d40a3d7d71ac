"""Spans of one conversation, in order of their start -> the events of a run.

The record of an event is its span's id. Tool calls are read from the output of model spans; where
content is not recorded there, from the agent's `pydantic_ai.all_messages`, or from the tool spans.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from agentcheck.model.event import Approval, FieldGroup, ModelCall, ToolCall
from agentcheck.trace.finish import finish_reason
from agentcheck.trace.readers.inputs import Inputs
from agentcheck.trace.readers.node import GEN_AI, Node
from agentcheck.trace.readers.otlp_facts import finish_in, provider, usage_in
from agentcheck.trace.readers.otlp_instructions import SYSTEM, Instructions
from agentcheck.trace.readers.otlp_parts import (
    finish_of,
    has_finish,
    part_calls,
    part_given,
    part_texts,
    strange,
)
from agentcheck.trace.readers.otlp_tools import listed_in, tools_of
from agentcheck.trace.readers.otlp_tree import OtlpTree
from agentcheck.trace.replay import Asked, OpenCalls, Replay
from agentcheck.trace.texts import text_of

KNOWN: tuple[FieldGroup, ...] = ("results", "errors")
SILENT = frozenset(
    {
        "agent", "create_agent", "embeddings", "retrieval", "rerank", "plan", "search_memory",
        "update_memory", "upsert_memory", "create_memory", "delete_memory", "chain",
        "execute_task",
    }
)  # fmt: skip
OUTPUT = "gen_ai.output.messages"
INPUT = "gen_ai.input.messages"
HISTORY = "pydantic_ai.all_messages"
ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments")
RESULT = ("gen_ai.tool.call.result", "tool_response")


class OtlpReplay(Replay):
    """The run that the spans of one conversation tell.

    `known` are the field groups that its format always has; the others are added where a span
    holds them.
    """

    __slots__ = (
        "_answered",
        "_inputs",
        "_instructed",
        "_listed",
        "_open",
        "_pending",
        "_tree",
        "_unsure",
        "tools",
    )

    def __init__(
        self, file: str, run: int, tree: OtlpTree, known: Iterable[FieldGroup] = KNOWN
    ) -> None:
        super().__init__(file, run, known)
        self._tree = tree
        self._inputs = Inputs(part_given)
        self._instructed = Instructions()
        self._open: dict[str | None, OpenCalls] = {}
        self._answered: set[str] = set()
        self._pending: list[ToolCall] = []
        self.tools: dict[str, Any] = {}
        self._listed: Any = None
        self._unsure: set[str] = set()

    def play(self, nodes: list[Node]) -> None:
        """All spans, between the head of the run and its end."""
        bare = not any(n.kind == "model" and OUTPUT in n.attributes for n in nodes)
        for node in nodes:
            self.agent = self._tree.agent(node)
            if node.start is not None:
                self.known.add("time")
            self._span(node, bare=bare)
        self.agent = None
        head = next((n for n in nodes if n.kind == "agent"), nodes[0])
        tools = {name: tool for name, tool in self.tools.items() if name not in self._unsure}
        self.start(self.source(head.id), self._tree.agent(head), tools)
        self._end(head, nodes)

    def _span(self, node: Node, *, bare: bool) -> None:
        kind = node.kind
        if kind == "model":
            if not self._tree.repeats(node):
                self._asked(node)
        elif kind == "tool":
            self._ran(node)
        elif kind == "agent" and bare and HISTORY in node.attributes:
            self._history(node)
        elif kind not in SILENT:
            self.unknown += 1

    def _asked(self, node: Node) -> None:
        loop = self._tree.loop(node)
        given, output = node.parsed(INPUT), node.parsed(OUTPUT)
        self._tools(node)
        system, is_new = self._instructed.of(node, loop, given)
        if system is not None and is_new:
            self.known.add("content")
            self.message(self.source(node.id, f"{node.place(SYSTEM)}/0"), "system", system)
        self._given(node, loop, given)
        self._model_call(node, loop, given, output, system)
        if "results" not in self.known and next(part_calls(given), None) is not None:
            self.known.add("results")  # inputs hold the history, so no result stays unseen
        if isinstance(output, list):
            self.known.add("content")
            self._reply(node, node.place(OUTPUT), loop, output)
        self.unknown += sum(isinstance(each, str) for each in (given, output)) + strange(output)

    def _reply(self, node: Node, pointer: str, loop: str | None, output: Any) -> None:
        self.message(self.source(node.id, pointer), "assistant", part_texts(output))
        opened = OpenCalls()
        for batch, (inner, asked) in enumerate(part_calls(output)):
            place = self.source(node.id, pointer + inner)
            opened.add(self.call(place, f"{node.id}{inner}", asked, batch))
        self._open[loop] = opened

    def _model_call(
        self, node: Node, loop: str | None, given: Any, output: Any, system: str | None
    ) -> None:
        raw = finish_in(node) or finish_of(output)
        if raw is not None or has_finish(output):
            self.known.add("finish")
        facts = usage_in(node)
        if facts:
            self.known.add("usage")
        self.events.append(
            ModelCall(
                seq=len(self.events),
                source=self.source(node.id),
                ts=node.seconds,
                span_id=node.id,
                parent_id=node.parent,
                agent=self.agent,
                provider=provider(node),
                request_model=node.get("gen_ai.request.model"),
                response_model=node.get("gen_ai.response.model"),
                finish_reason=finish_reason(raw),
                finish_raw=raw,
                duration=node.duration,
                context_messages=len(given) if isinstance(given, list) else None,
                system_text=system,
                loop=loop,
                **facts,
            )
        )

    def _given(self, node: Node, loop: str | None, items: Any) -> None:
        opened = self._open.get(loop)
        for given in self._inputs.fresh(loop, items):
            source = self.source(node.id, f"{node.place(INPUT)}/{given.at}")
            if given.call_id is None:
                self.message(source, given.role, given.text)
                continue
            call = opened.answer(given.call_id) if opened else None
            if call is not None and call.call_key not in self._answered:
                self._answered.add(call.call_key)
                if given.failed is not None:
                    self.known.add("errors")
                self.result(source, call.call_key, given.text, is_error=given.failed)

    def _ran(self, node: Node) -> None:
        """A tool ran, or stopped to ask a person."""
        name = node.get("gen_ai.tool.name") or ""
        call = self._resumed(node, name) or self._call_of(node, name)
        if node.waits:
            self._pending.append(call)
            self._approval(node, call, "requested")
            return
        self.known |= {"results", "errors"}
        self._answered.add(call.call_key)
        content = text_of(next((node.attributes[k] for k in RESULT if k in node.attributes), None))
        self.result(
            self.source(node.id),
            call.call_key,
            content or (node.why if node.failed else ""),
            is_error=node.failed,
            ts=node.seconds,
            duration=node.duration,
        )

    def _call_of(self, node: Node, name: str) -> ToolCall:
        """The call that a tool span carries out; the span's own where no reply named it."""
        loop = self._tree.loop(node)
        mine = [self._open[loop]] if loop in self._open else []
        others = [] if node.dialect == GEN_AI else [o for o in self._open.values() if o not in mine]
        call_id = node.get("gen_ai.tool.call.id")
        for opened in (*mine, *reversed(others)):
            call = opened.answer(call_id, name)
            if call is not None and call.name == name:
                return call
        given = next((node.attributes[k] for k in ARGUMENTS if k in node.attributes), None)
        if given is not None:
            self.known.add("content")
        if node.unsure:
            self._unsure.add(name)
        return self.call(self.source(node.id), f"{node.id}", Asked(name, given, call_id), 0)

    def _resumed(self, node: Node, name: str) -> ToolCall | None:
        """The call that waited for a person and now runs."""
        found = None if node.waits else next((c for c in self._pending if c.name == name), None)
        if found is not None:
            self._pending.remove(found)
            self._approval(node, found, "granted")
        return found

    def _approval(self, node: Node, call: ToolCall, state: Literal["requested", "granted"]) -> None:
        self.known.add("approval")
        event = Approval(
            seq=len(self.events),
            source=self.source(node.id),
            ts=node.seconds,
            agent=self.agent,
            call_key=call.call_key,
            state=state,
        )
        self.events.append(event)

    def _history(self, node: Node) -> None:
        """The messages of the whole agent run, where model spans hold none."""
        messages = node.parsed(HISTORY)
        if not isinstance(messages, list):
            self.unknown += 1
            return
        self.known.add("content")
        for given in self._inputs.fresh(node.id, messages):
            if given.call_id is None:
                self.message(self.source(node.id, f"/attributes/{HISTORY}"), given.role, given.text)
        said = [m for m in messages if isinstance(m, dict) and m.get("role") == "assistant"]
        self._reply(node, f"/attributes/{HISTORY}", node.id, said)

    def _tools(self, node: Node) -> None:
        listed = listed_in(node)
        if listed is None or listed == self._listed:
            return
        self._listed = listed
        found = tools_of(node)
        if found:
            self.known.add("schema")
            self.tools |= found

    def _end(self, head: Node, nodes: list[Node]) -> None:
        if self._pending:
            self.end(self.source(head.id), "interrupted")
            return
        if head.kind == "agent" and head.failed:
            self.end(self.source(head.id), "error")
            return
        last = next((n for n in reversed(nodes) if n.kind == "model"), None)
        output = last.parsed(OUTPUT) if last else None
        said = part_texts(output)
        done = last is not None and said and next(part_calls(output), None) is None
        source = self.source(last.id if done and last else head.id)
        self.end(source, "completed" if done else "unknown", said or None)
