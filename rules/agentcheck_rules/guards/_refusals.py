"""Refusals: the exceptions by which guards say no, and the signs of one in a model's reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    E,
    Fn,
    Place,
    S,
    blocks,
    descend,
    last_name,
    lazy_re,
    read_key,
    statements_below,
    string,
)
from agentcheck_rules.guards._same_request import changed_between

How = Literal["guard", "reply", "library"]
Loop: TypeAlias = S.While | S.For
Block: TypeAlias = Sequence[S.Stmt]
_REFUSES = lazy_re(
    r"Guardrail|TripwireTriggered|Refus(al|ed)|ContentFilter|ContentPolicy|PolicyViolation|"
    r"Moderation|SafetyError|ApprovalDenied|ApprovalRejected|ToolDenied|CallDenied|"
    r"UnsafeContent|BlockedPrompt|PromptBlocked|StopCandidate|InjectionDetected"
)
_REASONS = frozenset({"content_filter", "refusal", "SAFETY", "safety", "guardrail_intervened"})
_RANGES = frozenset({"range", "count", "repeat", "cycle"})
_RETRIES = frozenset(
    "tenacity.retry tenacity.Retrying tenacity.AsyncRetrying backoff.on_exception "
    "stamina.retry retry.retry retry.api.retry".split()
)


class Again(Struct, frozen=True):
    """A request that was refused and is made again. `changed` where it is not the same one."""

    fn: Fn
    how: How
    place: Place
    again: Place
    what: str
    changed: bool


def refused_again(graph: AgentGraph, fn: Fn, loops: Sequence[AgentLoop]) -> Iterator[Again]:
    """Where a function makes a refused request again, by a library or by one of its `loops`."""
    yield from _by_library(graph, fn)
    for loop in loops:
        if not _repeats(loop.stmt):
            continue
        for block, rest in _turn(loop.stmt.body):
            for i, stmt in enumerate(block):
                after = (*block[i + 1 :], *rest)
                if isinstance(stmt, S.Try):
                    yield from _caught(graph, loop, stmt, after)
                elif isinstance(stmt, S.If):
                    yield from _seen(graph, loop, stmt)


def _by_library(graph: AgentGraph, fn: Fn) -> Iterator[Again]:
    """`@retry(retry=retry_if_exception_type(GuardrailError))`."""
    host = graph.program.parent(fn) or fn
    for decorator in fn.facts.decorators:
        if isinstance(decorator, E.Call) and graph.resolver.dotted(decorator.func, host) & _RETRIES:
            name = next((n for n in _retried_on(decorator) if is_refusal(n)), None)
            if name is not None:
                place = fn.place(decorator.span)
                yield Again(fn, "library", place, fn.place(fn.facts.name_span), name, changed=False)


def _retried_on(call: E.Call) -> Iterator[str]:
    """The exceptions that a decorator retries on; those it leaves out are not among them."""
    stack: list[E.Expr] = [a.value for a in call.args if a.name not in ("giveup", "reraise")]
    while stack:
        here = stack.pop()
        if isinstance(here, E.Call):
            if "not" not in (last_name(here.func) or ""):
                stack.extend(a.value for a in here.args)
        elif isinstance(here, E.Items):
            stack.extend(here.items)
        elif isinstance(here, E.Binary):
            stack.extend((here.left, here.right))
        else:
            yield last_name(here) or ""


def is_refusal(name: str) -> bool:
    """Whether an exception of that name is a no, of a guard, a model or a person."""
    return bool(_REFUSES.search(name)) and not name.startswith("Connection")


def _repeats(loop: Loop) -> bool:
    """Whether a loop makes attempts, and does not go over things one after the other."""
    if isinstance(loop, S.While):
        return True
    return isinstance(loop.iter, E.Call) and last_name(loop.iter.func) in _RANGES


def _turn(block: Block, rest: Block = ()) -> Iterator[tuple[Block, Block]]:
    """The blocks of a turn, loops inside it left closed, each with what follows it in the turn."""
    yield block, rest
    for i, stmt in enumerate(block):
        if not isinstance(stmt, (S.For, S.While)):
            for _, _, inner in blocks(stmt):
                yield from _turn(inner, (*block[i + 1 :], *rest))


def _caught(graph: AgentGraph, loop: AgentLoop, attempt: S.Try, after: Block) -> Iterator[Again]:
    """Handlers of a guard's no after which the loop asks again, where success would leave it."""
    tried = [s for s in loop.sites if any(t is attempt for t in s.tries())]
    if not tried or not _succeeds_out(loop.stmt, attempt, after):
        return
    for handler in attempt.handlers:
        kind = handler.type
        kinds = kind.items if isinstance(kind, E.Items) else (kind,) if kind is not None else ()
        name = next((n for k in kinds if is_refusal(n := last_name(k) or "")), None)
        last = handler.body[-1]
        goes_on = isinstance(last, S.Jump) and last.kind == "continue"
        if name is None or _out((last,)) or (not goes_on and _out(after)):
            continue
        place = loop.fn.place(handler.span)
        changed = changed_between(graph, loop, tried, handler.span.end_line)
        yield Again(loop.fn, "guard", place, loop.place, name, changed)


def _succeeds_out(loop: Loop, attempt: S.Try, after: Block) -> bool:
    if _out((*attempt.body, *attempt.orelse)) or _out(after):
        return True
    test = [*descend(loop.test)] if isinstance(loop, S.While) else []
    asked = {e.id for e in test if isinstance(e, E.Name)}
    assigned = [s for s in (*attempt.body, *attempt.orelse) if isinstance(s, S.Assign)]
    return any(isinstance(t, E.Name) and t.id in asked for s in assigned for t in s.targets)


def _out(block: Block) -> bool:
    """Whether some way through a block leaves the loop."""
    inside = [s for top in block for s in (top, *statements_below(top))]
    return any(
        isinstance(s, (S.Return, S.Raise)) or (isinstance(s, S.Jump) and s.kind == "break")
        for s in inside
    )


def _seen(graph: AgentGraph, loop: AgentLoop, test: S.If) -> Iterator[Again]:
    """`if message.refusal: continue`, and a finish reason that tells of a filter."""
    what = _sign(test.test)
    last = test.body[-1]
    if what is None or not (isinstance(last, S.Jump) and last.kind == "continue"):
        return
    before = [s for s in loop.sites if s.place.span.line <= test.span.line]
    if before:
        changed = changed_between(graph, loop, before, last.span.end_line)
        place = loop.fn.place(test.span)
        yield Again(loop.fn, "reply", place, loop.place, what, changed)


def _sign(test: E.Expr) -> str | None:
    """What of a reply a test takes for a refusal."""
    match test:
        case E.Attr(attr="refusal"):
            return "refusal"
        case E.Compare(left=left, ops=("is not",), rights=(E.Const(value=None),)):
            return "refusal" if read_key(left) == "refusal" else None
        case E.Compare(ops=("==",), rights=(right,)):
            return string(right) if string(right) in _REASONS else None
        case E.Logic(op="or", values=values):
            return next((s for s in map(_sign, values) if s is not None), None)
        case _:
            return None
