"""A tool moves whatever amount of money the model writes, and nothing compares it with a limit.

A refund of 49.00 and one of 4900.00 differ by one slip of a model, or by one sentence in a mail
that it was given to read. The amount is an argument like any other: unless code compares it with
the order, the balance or a fixed limit, or a person sees it first, the model alone decides how
much is paid.

Looked at are tools that move money, judged by what they do or by their names, and that take the
amount as a parameter. A limit is a comparison of the amount, or of what was made of it, with
anything other than zero, in the tool or in what it calls; a bound in its type, such as
`Field(le=500)`; a call named for a limit or a policy that is given the amount; and a comparison of
a value read under the parameter's name elsewhere in the same program. An approval before the
effect counts as well, in the tool or where tools are dispatched. The absence of a limit is what is
judged, and the service behind the tool may have one, so this is told to pedantic readers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Effect,
    Hit,
    code_kind,
    effects_of,
    fine,
    gates_of,
    primary,
    related,
)
from agentcheck_rules.approval._amounts import Amount, amounts, compared_outside
from agentcheck_rules.approval._dispatchers import Dispatcher, Running

CARD = Card(
    code="AC404",
    topic="amount-unlimited",
    title="The model alone decides how much money moves",
    question="Is every amount that a model chooses held against a limit or seen by a person?",
    severity="high",
    confidence="medium",
    persona="pedantic",
    remedy_confidence="high",
    at_stake="How much is paid must be bounded by something other than a model's argument.",
    consequence="One mistaken or injected argument pays out any sum at once.",
    owner="whoever owns the tool",
    smallest_change="Compare the amount with the order, the balance or a fixed limit before the "
    "effect; above it, refuse or ask a person.",
    could_break="Payments above the limit now fail or wait until somebody approves them.",
    acceptance="With a scripted call of {tool} for a million, no money moves: the call is refused "
    "or waits for an approval, and the model gets a result that says so.",
    tags=("security", "money"),
)
LOOKED = (
    "a comparison of the amount in the tool or in what it calls",
    "a bound in the parameter's type",
    "a comparison of the same argument elsewhere in the program",
    "an approval before the effect, in the tool or at the dispatcher",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment an amount that a model gives to a tool that moves money."""
    running = Running(graph)
    seen: set[object] = set()
    for tool in graph.tools:
        if tool.fn is None or tool.fn in seen or code_kind(tool.place.file) == "test":
            continue
        seen.add(tool.fn)
        found = list(amounts(graph, tool, tool.fn))
        effects = effects_of(graph.tracer, tool) if found else []
        if any(e.weight == "money" for e in effects):
            for amount in found[:1]:
                yield _amount(graph, amount, effects, running.beside(tool.place.file))


def _amount(
    graph: AgentGraph, amount: Amount, effects: Sequence[Effect], running: list[Dispatcher]
) -> Assessment:
    name, here = amount.tool.name, related(amount.place, "the model gives this amount")
    limit = amount.limit or compared_outside(graph, amount)
    if limit is not None:
        return fine(
            name, "met", "The amount is held against a limit.", here, related(limit, "here")
        )
    gates = gates_of(graph, amount.tool, effects)
    if gates:
        seen = related(gates[0].place, gates[0].says)
        return fine(name, "met-differently", f"Asked first: {gates[0].says}.", here, seen)
    asked = [d for d in running if d.gates] if amount.tool.framework is None else []
    if asked:
        seen = related(asked[0].gates[0].place, asked[0].gates[0].says)
        return fine(name, "cannot-tell", "A dispatcher asks for some tools.", here, seen)
    return _unlimited(amount, effects)


def _unlimited(amount: Amount, effects: Sequence[Effect]) -> Assessment:
    tool, param = amount.tool, amount.param.name
    proof = next((e for e in effects if e.sure), None)
    hit = Hit(
        message=f"`{tool.name}` moves whatever `{param}` the model gives; nothing limits it.",
        owner=amount.fn.qualname,
        severity="high" if proof is not None else "medium",
        confidence=None if proof is not None else "low",
        failure_path=(
            f"the model calls `{tool.name}`, by mistake or because a text told it to",
            f"`{param}` is far more than was meant",
            "no limit and no person stands between the argument and the effect",
            "that sum is paid",
        ),
        challenge=Challenge("upheld" if proof is not None else "weakened", LOOKED),
        names={"tool": tool.name, "owner": amount.fn.qualname},
    )
    evidence = [primary(amount.place, "the model gives this amount, and nothing limits it")]
    if proof is not None:
        evidence.append(related(proof.place, f"it {proof.why}"))
    return Assessment(
        subject=tool.name, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
