"""A tool that changes the world runs the moment the model asks, and nobody says yes first.

Refunds, payments, mail, deletions and shell commands are taken back with difficulty or not at
all, and a model that is confused or was told so by a web page asks for them as readily as for a
look-up. A prompt that says "ask first" holds nothing back.

Whether a tool has effects is judged from what it and the functions it calls do (HTTP writes,
mail, processes, files, SQL that changes), else from the verb in its name or docstring, unless its
body only computes. Approval is looked for in the framework's switch, decorators, the tool's own
body, and the dispatcher and its callers up to the loop. It must come before the effect and be able
to stop it; a parameter by which the model itself says that the user agreed is none.

The tools of one file that drive mouse and keyboard are one finding.

The options `effect-tools` and `harmless-tools` name tools whose effects, or lack of them, cannot be
seen in the code.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Effect,
    Hit,
    Place,
    RuleOptions,
    Run,
    Severity,
    Tool,
    TraceSettings,
    code_kind,
    effects_of,
    fine,
    gates_of,
    primary,
    related,
)
from agentcheck_rules.approval import _run_unguarded_side_effect as runs
from agentcheck_rules.approval._dispatchers import (
    Dispatcher,
    Running,
    dispatcher_assessments,
    givers,
)

__all__ = ["CARD", "Options", "check", "check_run", "usual_run"]

CARD = Card(
    code="AC401",
    topic="unguarded-side-effect",
    title="A side-effecting tool runs without approval",
    question="Does somebody or something say yes before a tool changes the world?",
    severity="high",
    confidence="high",
    at_stake="An effect must be approved, bound to the exact call, before it happens.",
    consequence="A mistaken or injected call takes effect at once, and can repeat.",
    owner="whoever gives the tool to an agent",
    smallest_change="Mark the tool as one that needs approval and ask an approver before it runs; "
    "answer the call id with a denial when the answer is no.",
    could_break="Unattended runs now wait for, or are denied by, an approver.",
    acceptance="With an approver that says no, {tool} is not called, its call id gets a paired "
    "denial and the model is called again; with yes it runs once; the same when streaming and in a "
    "batch.",
    tags=("security", "approval"),
)
LOOKED = (
    "the framework's approval switch",
    "a decorator that asks",
    "a person or an approval asked in the tool or its callees",
    "an approval between the model's reply and the call",
)
SEVERITY: dict[str, Severity] = {
    "money": "high",
    "destructive": "high",
    "code": "high",
    "message": "high",
    "change": "medium",
}


class Options(RuleOptions, frozen=True, kw_only=True):
    """`[rules.unguarded-side-effect]`."""

    effect_tools: Annotated[
        tuple[str, ...],
        Meta(
            description="Tools that change the world, whatever their code shows; * as in file "
            "names."
        ),
    ] = ()
    harmless_tools: Annotated[
        tuple[str, ...],
        Meta(
            description="Tools that may run unasked, whatever they do; they win over effect-tools."
        ),
    ] = ()

    def holds_harmless(self, name: str) -> bool:
        """Whether the user says that a tool may run unasked."""
        return any(fnmatchcase(name, pattern) for pattern in self.harmless_tools)

    def effects(self, tool: Tool, found: list[Effect]) -> list[Effect]:
        """The effects of a tool, after what the user says of it."""
        if self.holds_harmless(tool.name):
            return []
        if not found and any(fnmatchcase(tool.name, pattern) for pattern in self.effect_tools):
            return [
                Effect("change", "changes the world, by the configuration", tool.place, sure=True)
            ]
        return found


def check_run(run: Run, settings: TraceSettings, options: Options) -> Iterator[Assessment]:
    """One assessment a tool that acted unasked, else one of the run."""
    for said in runs.check_run(run, settings):
        if said.hit is None or not options.holds_harmless(said.subject):
            yield said


usual_run = runs.usual_run  # what is harmless makes no difference to it


class Judged(Struct, frozen=True):
    """A tool, what it does to the world, and what is said of it."""

    tool: Tool
    effects: tuple[Effect, ...]
    said: Assessment


def check(graph: AgentGraph, options: Options) -> Iterator[Assessment]:
    """One assessment a tool, and one a dispatcher that runs whatever tools it is given."""
    running = Running(graph)
    judged = [
        _judged(graph, tool, running.beside(tool.place.file), options)
        for tool in graph.tools
        if code_kind(tool.place.file) != "test"
    ]
    seen: set[tuple[str, Place]] = set()
    for group in _grouped(judged):
        first = group[0]
        key = (first.tool.name, first.tool.place)
        if first.said.hit is None or key not in seen:
            yield first.said if len(group) == 1 else _desktop(group)
        seen.add(key)
    for place, agent in graph.unresolved:
        if code_kind(place.file) != "test":
            here = related(place, "no definition was found for this")
            yield fine(agent, "cannot-tell", "one of its tools is found nowhere in the code", here)
    acting = {j.tool.place.file for j in judged if j.said.hit is not None}
    dangerous = {id(d) for file in acting for d in running.beside(file)}
    yield from dispatcher_assessments(graph, running.all, dangerous)


def _judged(graph: AgentGraph, tool: Tool, running: list[Dispatcher], options: Options) -> Judged:
    effects = options.effects(tool, effects_of(graph.tracer, tool))
    return Judged(tool, tuple(effects), _tool(graph, tool, effects, running))


def _grouped(judged: list[Judged]) -> Iterator[list[Judged]]:
    """Each tool by itself, but those of one file that drive the desktop together."""
    desktops: dict[str, list[Judged]] = {}
    for one in judged:
        if one.said.hit is None or not all(e.is_desktop for e in one.effects if e.sure):
            yield [one]
        elif any(e.sure for e in one.effects):
            desktops.setdefault(one.tool.place.file, []).append(one)
        else:
            yield [one]
    yield from desktops.values()


def _desktop(group: list[Judged]) -> Assessment:
    """One finding for the small moves by which a desktop is driven."""
    first = group[0]
    if first.said.hit is None:
        return first.said
    names = ", ".join(f"`{one.tool.name}`" for one in group)
    others = [related(one.tool.place, "and this, at once") for one in group[1:]]
    hit = replace(
        first.said.hit,
        title="Tools drive mouse and keyboard without approval",
        message=f"The model can drive mouse and keyboard at once, by {names}.",
    )
    evidence = (first.said.evidence[0], *others, *first.said.evidence[1:])
    return replace(first.said, why=hit.message, evidence=evidence, hit=hit)


def _tool(
    graph: AgentGraph, tool: Tool, effects: list[Effect], running: list[Dispatcher]
) -> Assessment:
    here = related(tool.place, "a model may call this")
    if not effects:
        return fine(tool.name, "not-applicable", "no sign that it changes anything", here)
    gates = gates_of(graph, tool, effects)
    if gates:
        seen = related(gates[0].place, gates[0].says)
        return fine(tool.name, "met", f"asked first: {gates[0].says}", here, seen)
    asked = [d for d in running if d.gates] if tool.framework is None else []
    if asked:
        seen = related(asked[0].gates[0].place, asked[0].gates[0].says)
        return fine(tool.name, "cannot-tell", "a dispatcher asks for some tools", here, seen)
    return _unguarded(graph, tool, effects, running)


def _unguarded(
    graph: AgentGraph, tool: Tool, effects: list[Effect], running: list[Dispatcher]
) -> Assessment:
    worst = min(effects, key=lambda e: (list(SEVERITY).index(e.weight), not e.sure))
    # What the code does is better proof than a word, though the word may weigh more.
    proof = next((e for e in effects if e.sure), worst)
    hit = Hit(
        message=f"The model can call `{tool.name}` at once; it {proof.why}.",
        owner=tool.name,
        severity=SEVERITY[worst.weight],
        confidence="high" if proof.sure else "medium",
        failure_path=(
            f"the model asks for `{tool.name}`, by mistake or because a text told it to",
            "the call is dispatched like any other",
            "the effect has happened before anybody saw it",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"tool": tool.name, "owner": tool.name},
    )
    evidence = tuple(_evidence(graph, tool, effects, running))
    return Assessment(
        subject=tool.name, verdict="not-met", why=hit.message, evidence=evidence, hit=hit
    )


def _evidence(
    graph: AgentGraph, tool: Tool, effects: list[Effect], running: list[Dispatcher]
) -> Iterator[CodeEvidence]:
    yield primary(tool.place, "the model may call this with nobody asked")
    for effect in [e for e in effects if e.sure][:3]:
        yield related(effect.place, f"it {effect.why}")
    if tool.built is not None and tool.fn is not None:
        yield related(tool.built.place, "it is made a tool here")
    yield from (related(p, "it is given to an agent here") for p in givers(graph, tool)[:3])
    if tool.framework is None:
        for dispatcher in [d for d in running if not d.gates][:2]:
            yield related(dispatcher.site.place, "the call is dispatched with nobody asked")
