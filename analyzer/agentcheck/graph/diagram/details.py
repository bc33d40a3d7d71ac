"""What is said of a node beside its name: models, limits, effects, approvals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentcheck.graph.bound import Bound
from agentcheck.graph.diagram.sketch import Sketch, at_place, written
from agentcheck.graph.effects import Effect
from agentcheck.graph.handles import Fn
from agentcheck.graph.models import ModelCall, RunCall
from agentcheck.graph.roster import Agent
from agentcheck.graph.runs import InForce, limits_in_force
from agentcheck.graph.text import argument, dotted
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E

_ENDS = {
    "iterations": "one turn for each item",
    "person": "a person gives each turn",
    "work": "waits for work each turn",
    "schedule": "waits for its time each turn",
    "drained": "until its queue is empty",
    "withheld": "tools are withheld in the end",
    "callee": "a function that it calls ends it",
    "time": "a time limit",
    "budget": "a budget",
}
MODEL_WORDS = ("model", "model_name", "llm", "llm_config")


def agent_detail(sketch: Sketch, agent: Agent) -> dict[str, str]:
    """The model, limit and class of an agent, and whether its tools may run in parallel."""
    found: dict[str, str] = {}
    fn, data = agent.site.fn, agent.data
    words = (data.model_keyword,) if data and data.model_keyword else MODEL_WORDS
    for word in words:
        given = argument(agent.call, word)
        if given is not None:
            found["model"] = value_of(sketch, given, fn)
            break
    if data is not None and data.limit is not None:
        given = argument(agent.call, data.limit.keyword, data.limit.position)
        default = f"{data.limit.default} by default"
        worth = value_of(sketch, given, fn) if given is not None else default
        found["limit"] = f"{data.limit.keyword}: {worth}"
    if data is not None and data.parallel_keyword:
        given = argument(agent.call, data.parallel_keyword.partition(".")[0])
        if given is not None and "." not in data.parallel_keyword:
            found["parallel"] = value_of(sketch, given, fn)
    if agent.klass is not None:
        found["class"] = agent.klass.name
    return found


def value_of(sketch: Sketch, expr: E.Expr, fn: Fn) -> str:
    """The one constant that an expression is, else the expression as written."""
    origins = sketch.graph.tracer.of(expr, fn)
    values = {o.expr.value for o in origins if isinstance(o.expr, E.Const) and not o.steps}
    if len(values) == 1 and all(isinstance(o.expr, E.Const) for o in origins):
        return str(values.pop())
    return written(fn, expr)


def run_limit(sketch: Sketch, run: RunCall) -> str | None:
    """The limits in force at a run, as "max_turns: 10 by default"; None where it has none."""
    limits = limits_in_force(sketch.graph, run)
    return ", ".join(_in_force(sketch, limit) for limit in limits) or None


def _in_force(sketch: Sketch, limit: InForce) -> str:
    keyword = limit.data.keyword
    if limit.given is not None:
        none = " (no limit)" if limit.worth == "infinite" else ""
        return f"{keyword}: {at_place(sketch, limit.given)}{none}"
    if limit.worth == "infinite":
        return f"{keyword}: no limit by default"
    if limit.worth == "unknown":
        return f"{keyword}: not known here"
    return f"{keyword}: {limit.text} by default"


def loop_limit(bounds: Iterable[Bound]) -> str:
    """What ends a loop besides the model's own wish."""
    found = list(dict.fromkeys(_bound(bound) for bound in bounds))
    held = [text for text in found if not text.startswith("none")]
    return "; ".join(held or found[:1]) or "none found"


def _bound(bound: Bound) -> str:
    if not bound.holds:
        return f"none ({bound.unit} have no end)"
    numbers = {limit.number for limit in bound.limits if limit.number is not None}
    if bound.kind in ("count", "items", "time", "budget") and len(numbers) == 1:
        number = numbers.pop()
        return f"{number:g} {bound.unit}"
    if bound.kind in ("count", "items"):
        return f"a count of {bound.unit}"
    return _ENDS.get(bound.kind, bound.kind)


def tool_detail(tool: Tool, effects: Sequence[Effect]) -> dict[str, str]:
    """What a tool does to the world and whether its framework asks before it."""
    found: dict[str, str] = {}
    if effects:
        proof = next((e for e in effects if e.sure), effects[0])
        found["effect"] = f"{effects[0].weight}: {proof.why}"
    if tool.approval is not None:
        found["approval"] = {"yes": "required", "maybe": "may be required", "no": "not required"}[
            tool.approval
        ]
    if tool.fn is None:
        found["body"] = "not in this code"
    return found


def call_detail(sketch: Sketch, call: ModelCall) -> dict[str, str]:
    """The API of a model call as written, and its model."""
    found = {"api": api_of(call)}
    given = argument(call.call, call.data.model_keyword) if call.data.model_keyword else None
    if given is not None:
        found["model"] = value_of(sketch, given, call.site.fn)
    return found


def api_of(call: ModelCall) -> str:
    """The callee as written, its last three names."""
    plain = (dotted(call.call.func) or "model").replace("()", "").replace("[]", "")
    return ".".join(plain.split(".")[-3:])
