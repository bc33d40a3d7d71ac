"""What kind of agent code this is: inferred, with the reason for each answer, or as configured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from msgspec.structs import replace

from agentcheck.crosscheck import Answer
from agentcheck.facts.brief import Brief
from agentcheck.graph.effect_words import Weight
from agentcheck.model.kind import code_kind
from agentcheck.model.report import Profile
from agentcheck.run import signs
from agentcheck.run.clues import Clues

SideEffects: TypeAlias = Literal["real", "reversible", "none"]
Interaction: TypeAlias = Literal["interactive", "unattended", "both", "unknown"]
Form: TypeAlias = Literal["library", "app", "example", "mixed"]
Tenancy: TypeAlias = Literal["single", "many"]
Horizon: TypeAlias = Literal["run", "session", "lasting", "unknown"]
_CAREFUL = "no code was read; the more careful answer"


def infer_profile(
    root: Path,
    files: Sequence[Brief],
    clues: Clues | None,
    configured: dict[str, str],
    answers: Iterable[Answer] = (),
) -> Profile:
    """The profile of what was read; fields that the user configured are taken as they are.

    `clues` is None where no code was read. `answers` are those about code: what is run at a model's
    word acts on the world without tools.
    """
    if clues is None:
        basis = {"side_effects": _CAREFUL}
        found = Profile("real", "unknown", "app", "single", basis=basis)
    else:
        found = _of_code(root, files, clues, answers)
    told: dict[str, Any] = {
        **configured,
        "basis": found.basis | dict.fromkeys(configured, "configured"),
    }
    return replace(found, **told)


def _of_code(
    root: Path, every: Sequence[Brief], clues: Clues, answers: Iterable[Answer]
) -> Profile:
    files = signs.product(every)
    side_effects, effects_basis = _side_effects(clues, answers)
    interaction, interaction_basis = _interaction(files, clues)
    form, form_basis = _form(root, files)
    tenancy, tenancy_basis = _tenancy(files)
    horizon, horizon_basis = _horizon(files, clues)
    return Profile(
        side_effects=side_effects,
        interaction=interaction,
        form=form,
        tenancy=tenancy,
        frameworks=tuple(sorted(clues.frameworks)),
        agents=clues.agents,
        tools=clues.tools,
        model_calls=clues.model_calls,
        loops=clues.loops,
        horizon=horizon,
        surface=tuple(kind for kind in get_args(Weight) if kind in clues.kinds),
        basis={
            "side_effects": effects_basis,
            "interaction": interaction_basis,
            "form": form_basis,
            "tenancy": tenancy_basis,
            "horizon": horizon_basis,
        },
    )


def _side_effects(clues: Clues, answers: Iterable[Answer]) -> tuple[SideEffects, str]:
    lasting = clues.lasting.text if clues.lasting else signs.runs_what_models_write(answers)
    if lasting:
        return "real", lasting
    if clues.changes:
        return "reversible", clues.changes.text
    if clues.tools:
        return "none", f"none of {clues.tools} tools changes the world"
    if clues.dispatches:
        return "real", f"{clues.dispatches.text}, and none was found; the more careful answer"
    return "none", "no tool was found"


def _horizon(files: Sequence[Brief], clues: Clues) -> tuple[Horizon, str]:
    store = signs.imported_name(files, signs.STORES)
    if store:
        return "lasting", store
    goes_on = clues.goes_on.text if clues.goes_on else None
    memory = signs.imported_name(files, signs.MEMORIES) or goes_on
    if memory:
        return "session", memory
    if clues.loops or clues.runs:
        return "run", "no store of conversations, and no loop in which a person goes on"
    return "unknown", "no agent loop and no run of an agent was found"


def _interaction(files: Sequence[Brief], clues: Clues) -> tuple[Interaction, str]:
    asked = clues.asks.text if clues.asks else None
    person = asked or signs.imported(files, signs.SCREENS)
    alone = signs.imported(files, signs.SERVERS | signs.SCHEDULERS)
    if person and alone:
        return "both", f"{person}; {alone}"
    if person:
        return "interactive", person
    if alone:
        return "unattended", alone
    return "unknown", "neither a person is asked nor a server or scheduler imported"


def _form(root: Path, files: Sequence[Brief]) -> tuple[Form, str]:
    kinds = Counter(code_kind(file.path) for file in files)
    if not kinds["code"]:
        return "example", f"all of {kinds['example']} files are examples by their paths"
    packaging = signs.packaging(root, files)
    service = signs.imported(
        [file for file in files if code_kind(file.path) == "code"], signs.SERVERS | signs.SCREENS
    )
    if packaging and service:
        return "mixed", f"{packaging} packages it; {service}"
    if packaging:
        return "library", f"{packaging} packages it"
    return "app", service or "nothing packages it for others to import"


def _tenancy(files: Sequence[Brief]) -> tuple[Tenancy, str]:
    server, tenant = signs.imported(files, signs.SERVERS), signs.tenants(files)
    if server and tenant:
        return "many", f"{server}; {tenant}"
    return "single", "no server whose functions are told whose request they serve"
