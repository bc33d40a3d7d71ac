"""What kind of agent code this is: inferred, with the reason for each answer, or as configured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias, get_args

from msgspec.structs import replace

from agentcheck.crosscheck import Answer
from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.effect_words import Weight
from agentcheck.model.facts import FileFacts
from agentcheck.model.kind import code_kind
from agentcheck.model.report import Profile
from agentcheck.run import signs
from agentcheck.run.reading import Code

SideEffects: TypeAlias = Literal["real", "reversible", "none"]
Interaction: TypeAlias = Literal["interactive", "unattended", "both", "unknown"]
Form: TypeAlias = Literal["library", "app", "example", "mixed"]
Tenancy: TypeAlias = Literal["single", "many"]
Horizon: TypeAlias = Literal["run", "session", "lasting", "unknown"]
_CAREFUL = "no code was read; the more careful answer"


def infer_profile(
    code: Code, configured: dict[str, str], answers: Iterable[Answer] = ()
) -> Profile:
    """The profile of what was read; fields that the user configured are taken as they are.

    `answers` are those about code: what is run at a model's word acts on the world without tools.
    """
    if code.graph is None:
        basis = {"side_effects": _CAREFUL}
        found = Profile("real", "unknown", "app", "single", basis=basis)
    else:
        found = _of_code(code, code.graph, answers)
    told: dict[str, Any] = {
        **configured,
        "basis": found.basis | dict.fromkeys(configured, "configured"),
    }
    return replace(found, **told)


def _of_code(code: Code, graph: AgentGraph, answers: Iterable[Answer]) -> Profile:
    files = signs.product(code.files)
    effects = list(signs.tool_effects(graph))
    side_effects, effects_basis = _side_effects(graph, effects, answers)
    interaction, interaction_basis = _interaction(files, graph)
    form, form_basis = _form(code, files)
    tenancy, tenancy_basis = _tenancy(files)
    horizon, horizon_basis = _horizon(files, graph)
    kinds = {kind for kind, _ in effects}
    return Profile(
        side_effects=side_effects,
        interaction=interaction,
        form=form,
        tenancy=tenancy,
        frameworks=_frameworks(graph),
        agents=len(graph.agents),
        tools=len(graph.tools),
        model_calls=len(graph.model_calls),
        loops=len(graph.loops),
        horizon=horizon,
        surface=tuple(kind for kind in get_args(Weight) if kind in kinds),
        basis={
            "side_effects": effects_basis,
            "interaction": interaction_basis,
            "form": form_basis,
            "tenancy": tenancy_basis,
            "horizon": horizon_basis,
        },
    )


def _side_effects(
    graph: AgentGraph, effects: Sequence[tuple[Weight, str]], answers: Iterable[Answer]
) -> tuple[SideEffects, str]:
    lasting = next((sign for kind, sign in effects if kind != "change"), None)
    lasting = lasting or signs.runs_what_models_write(answers)
    if lasting:
        return "real", lasting
    if effects:
        return "reversible", effects[0][1]
    if graph.tools:
        return "none", f"none of {len(graph.tools)} tools changes the world"
    unknown = signs.dispatched(graph)
    if unknown:
        return "real", f"{unknown}, and none was found; the more careful answer"
    return "none", "no tool was found"


def _horizon(files: Sequence[FileFacts], graph: AgentGraph) -> tuple[Horizon, str]:
    store = signs.imported_name(files, signs.STORES)
    if store:
        return "lasting", store
    memory = signs.imported_name(files, signs.MEMORIES) or signs.person_goes_on(graph)
    if memory:
        return "session", memory
    if graph.loops or graph.runs:
        return "run", "no store of conversations, and no loop in which a person goes on"
    return "unknown", "no agent loop and no run of an agent was found"


def _interaction(files: Sequence[FileFacts], graph: AgentGraph) -> tuple[Interaction, str]:
    person = signs.person_asked(graph) or signs.imported(files, signs.SCREENS)
    alone = signs.imported(files, signs.SERVERS | signs.SCHEDULERS)
    if person and alone:
        return "both", f"{person}; {alone}"
    if person:
        return "interactive", person
    if alone:
        return "unattended", alone
    return "unknown", "neither a person is asked nor a server or scheduler imported"


def _form(code: Code, files: Sequence[FileFacts]) -> tuple[Form, str]:
    kinds = Counter(code_kind(file.path) for file in files)
    if not kinds["code"]:
        return "example", f"all of {kinds['example']} files are examples by their paths"
    packaging = signs.packaging(code.root, files)
    service = signs.imported(
        [file for file in files if code_kind(file.path) == "code"], signs.SERVERS | signs.SCREENS
    )
    if packaging and service:
        return "mixed", f"{packaging} packages it; {service}"
    if packaging:
        return "library", f"{packaging} packages it"
    return "app", service or "nothing packages it for others to import"


def _tenancy(files: Sequence[FileFacts]) -> tuple[Tenancy, str]:
    server, tenant = signs.imported(files, signs.SERVERS), signs.tenants(files)
    if server and tenant:
        return "many", f"{server}; {tenant}"
    return "single", "no server whose functions are told whose request they serve"


def _frameworks(graph: AgentGraph) -> tuple[str, ...]:
    """The SDKs that something was recognised of, by name."""
    calls = {call.framework for call in graph.model_calls} | {r.framework for r in graph.runs}
    made = {agent.framework for agent in graph.agents} | {tool.framework for tool in graph.tools}
    return tuple(sorted(calls | {name for name in made if name}))
