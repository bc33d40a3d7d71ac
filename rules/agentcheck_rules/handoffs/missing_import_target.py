"""A file imports something that is not there: of the target's own code, or of a known SDK.

The module, or the name in it, does not exist: the file fails before its first line of work runs.
It happens when code is moved and an example or a rarely used agent is forgotten, and when an SDK
that nobody pinned drops or moves a module in a new release.

Asked about are imports that lead into the target itself, and those of SDKs whose data say what is
gone in the release that the nearest requirements give. An import under a `try` that catches
ImportError, under TYPE_CHECKING or behind a test that the module is there is fine. So is a module
with `__getattr__` or `__path__`, with names made at run time, or with a star import that leads
outside the target, and so are extension modules and stubs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Hit,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.handoffs._imports import Missing, missing_imports
from agentcheck_rules.handoffs._moved import moved_imports

CARD = Card(
    code="AC502",
    topic="missing-import-target",
    title="An import leads nowhere",
    question="Does every import of own code and of known SDKs find what it names?",
    severity="high",
    confidence="high",
    remedy_confidence="medium",
    at_stake="Every agent that ships must at least start.",
    consequence="The file raises ImportError before anything in it runs.",
    owner="whoever owns the importing file",
    smallest_change="Import what exists, or add what is missing.",
    could_break="Nothing that works today.",
    acceptance="{module} imports.",
    tags=("correctness",),
)


class Gathered(Struct):
    """What is missing, and how many files miss nothing."""

    missing: list[Assessment]
    whole: int


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a missing target, and one for all files whose imports are found."""
    return conclude([gather(graph)])


def gather(graph: AgentGraph) -> Gathered:
    """What is missing in a part of the target."""
    broken: dict[tuple[str, str], list[Missing]] = {}
    for missing in (*missing_imports(graph), *moved_imports(graph)):
        if code_kind(missing.file) != "test":
            key = (missing.file, missing.cause or missing.says)
            broken.setdefault(key, []).append(missing)
    whole = len(graph.program.files) - len({file for file, _ in broken})
    return Gathered([_missing(group) for group in broken.values()], whole)


def conclude(parts: Sequence[Gathered]) -> Iterator[Assessment]:
    """All that is missing, and the files that miss nothing counted together."""
    for part in parts:
        yield from part.missing
    whole = sum(part.whole for part in parts)
    if whole:
        yield fine("imports", "met", f"what is imported is there, in {whole} files")


def _missing(group: list[Missing]) -> Assessment:
    missing = group[0]
    evidence: list[CodeEvidence] = [primary(missing.place, missing.says)]
    others = {m.place: m for m in group[1:] if m.place != missing.place}
    evidence += [related(place, _also(m, missing)) for place, m in list(others.items())[:8]]
    if missing.module_place is not None:
        evidence.append(related(missing.module_place, "the module that was found"))
    hit = Hit(
        message=f"{missing.file} imports `{missing.wanted}`: {missing.says}.",
        owner=missing.file,
        confidence="medium" if missing.change else None,
        failure_path=(
            f"{missing.file} is run or imported",
            f"`{missing.wanted}` is not found",
            "ImportError ends it before its first agent is built",
        ),
        challenge=Challenge(
            "upheld",
            (
                "a module or package of that name from every folder that may be on the path",
                "a name bound, starred in or made at run time in the module",
                "a try that catches ImportError, or a test that it is there, around the import",
            ),
        ),
        smallest_change=" ".join(dict.fromkeys(m.change for m in group if m.change)) or None,
        names={"module": missing.file},
    )
    return Assessment(
        subject=missing.wanted,
        verdict="not-met",
        why=hit.message,
        evidence=tuple(evidence),
        hit=hit,
    )


def _also(other: Missing, first: Missing) -> str:
    return "and this needs it too" if other.says == first.says else other.says
