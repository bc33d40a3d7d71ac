"""A policy to start from: every known tool by name, reads allowed, effects asked about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.effect_words import is_amount
from agentcheck.graph.effects import Effect, effects_of
from agentcheck.graph.gates import gates_of
from agentcheck.graph.toolset import Tool
from agentcheck.model.event import Run, RunStart, ToolCall
from agentcheck.model.kind import code_kind
from agentcheck.whatif.policy.form import Ask, Does
from agentcheck.whatif.policy.judged import does_by_name

TOOLS = 1_000
"""Tools that are told apart; further ones are counted."""
_ALWAYS = frozenset({"destructive", "code", "unknown"})
_FREE = frozenset({"reads", "handoff"})
_WORST: tuple[Does, ...] = ("money", "destructive", "code", "message", "change")


class Drafted(Struct, frozen=True):
    """A tool of the draft. `why` says how it is known what it does; `amount` is the argument that
    says how much money, None where there is none; `gate` is what asks in the code already."""

    name: str
    does: Does
    why: str
    amount: str | None = None
    gate: str | None = None
    calls: int | None = None

    def ask(self, *, strict: bool) -> Ask:
        """When a person is asked."""
        if self.does in _FREE:
            return "never"
        bare = self.does == "money" and self.amount is None
        return "always" if strict or bare or self.does in _ALWAYS else "tainted"


def draft_from_code(graph: AgentGraph, *, careful: bool = False) -> list[Drafted]:
    """The tools of a target outside its tests, by name; the worst of those that share one.

    `careful` takes a tool whose name says that it acts at its word where its code shows nothing:
    what cancels flights may be a stub today, and a policy should gate it before it is none.
    """
    found: dict[str, Drafted] = {}
    handing = {id(tool) for tool in graph.handoff_tools}
    for tool in [*graph.tools, *graph.handoff_tools]:
        if code_kind(tool.place.file) == "test":
            continue
        one = _handoff(tool) if id(tool) in handing else _from_tool(graph, tool, careful=careful)
        known = found.get(one.name)
        if known is None or _rank(one) < _rank(known):
            found[one.name] = one
    return _in_order(found.values())


def _handoff(tool: Tool) -> Drafted:
    return Drafted(tool.name, "handoff", f"hands over, at {_place(tool)}")


def _from_tool(graph: AgentGraph, tool: Tool, *, careful: bool) -> Drafted:
    effects = effects_of(graph.tracer, tool)
    does, why = _judged(tool, effects, careful=careful)
    gates = gates_of(graph, tool, effects) if effects else []
    params = [param.name for param in tool.fn.facts.params] if tool.fn is not None else []
    amount = next(filter(is_amount, params), None) if does == "money" else None
    gate = gates[0].says if gates else None
    return Drafted(tool.name, does, f"{why}, at {_place(tool)}", amount, gate)


def _judged(tool: Tool, effects: Sequence[Effect], *, careful: bool) -> tuple[Does, str]:
    by_name = does_by_name(tool.name)
    if effects:
        worst = min(effects, key=lambda effect: (_WORST.index(effect.weight), not effect.sure))
        return worst.weight, f"it {worst.why}"
    if careful and tool.fn is not None and by_name in _WORST:
        return by_name, "by its name, though its code shows no effect"
    if by_name == "reads" or tool.fn is not None:
        return "reads", "no sign that it changes anything"
    return by_name, "by its name" if by_name != "unknown" else "nothing tells what it does"


def _place(tool: Tool) -> str:
    return f"{tool.place.file}:{tool.place.span.line}"


class Seen:
    """Collects the tools of runs: those that are offered and those that are called."""

    def __init__(self) -> None:
        self._calls: dict[str, int] = {}
        self._numbers: dict[str, dict[str, None]] = {}
        self._handing: set[str] = set()
        self.runs = self.lost = 0

    def add(self, run: Run) -> None:
        """Take in a run."""
        self.runs += 1
        for start in run.all(RunStart):
            for name, schema in start.tools.items():
                self._note(name, _numeric(schema), 0)
        for call in run.all(ToolCall):
            given = call.arguments or {}
            self._note(call.name, [key for key, value in given.items() if _is_number(value)], 1)
            if call.call_key in run.handed:
                self._handing.add(call.name)

    def tools(self) -> list[Drafted]:
        """What was seen, by what it does and by name."""
        return _in_order(self._drafted(name) for name in self._calls)

    def _note(self, name: str, numbers: Iterable[str], calls: int) -> None:
        if name not in self._calls and len(self._calls) >= TOOLS:
            self.lost += 1
            return
        self._calls[name] = self._calls.get(name, 0) + calls
        if len(known := self._numbers.setdefault(name, {})) < TOOLS:
            known.update(dict.fromkeys(numbers))

    def _drafted(self, name: str) -> Drafted:
        does: Does = "handoff" if name in self._handing else does_by_name(name)
        why = "by its name" if does != "unknown" else "its name does not tell what it does"
        amount = next(filter(is_amount, self._numbers[name]), None) if does == "money" else None
        return Drafted(name, does, why, amount, calls=self._calls[name])


def together(code: Sequence[Drafted], runs: Sequence[Drafted]) -> list[Drafted]:
    """Both: what the code shows of a tool goes before what its name says in a run."""
    calls = {tool.name: tool.calls for tool in runs}
    known = {tool.name: replace(tool, calls=calls.get(tool.name)) for tool in code}
    more = (tool for tool in runs if tool.name not in known)
    return _in_order([*known.values(), *more])


def _numeric(schema: object) -> Iterator[str]:
    """The parameters of a JSON schema that are numbers."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, value in properties.items() if isinstance(properties, dict) else ():
        if isinstance(value, dict) and value.get("type") in ("number", "integer"):
            yield name


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rank(tool: Drafted) -> int:
    order: tuple[Does, ...] = (*_WORST, "unknown", "handoff", "reads")
    return order.index(tool.does)


def _in_order(tools: Iterable[Drafted]) -> list[Drafted]:
    """What is harmless first, as it is the longest list and needs least thought."""
    return sorted(tools, key=lambda tool: (-_rank(tool), tool.name))
