"""A file imports something from the target's own code that is not there.

The module, or the name in it, does not exist: the file fails before its first line of work runs.
It happens when code is moved and an example or a rarely used agent is forgotten.

Only imports that lead into the target itself are asked about. An import under a `try` that
catches ImportError or under TYPE_CHECKING is fine, and so is a module with `__getattr__`, with
names made at run time, or with a star import that leads outside the target.
"""

from __future__ import annotations

from collections.abc import Iterator

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

CARD = Card(
    code="AC502",
    topic="missing-import-target",
    title="An import of the target's own code leads nowhere",
    question="Does every import of the target's own code find what it names?",
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


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a missing target, and one for all files whose imports are found."""
    broken: dict[tuple[str, str], list[Missing]] = {}
    for missing in missing_imports(graph):
        if code_kind(missing.file) != "test":
            broken.setdefault((missing.file, missing.says), []).append(missing)
    yield from (_missing(group) for group in broken.values())
    whole = len(graph.program.files) - len({file for file, _ in broken})
    if whole:
        yield fine("imports", "met", f"every import of own code is found in {whole} files")


def _missing(group: list[Missing]) -> Assessment:
    missing = group[0]
    evidence: list[CodeEvidence] = [primary(missing.place, missing.says)]
    evidence += [related(m.place, "and this needs it too") for m in group[1:9]]
    if missing.module_place is not None:
        evidence.append(related(missing.module_place, "the module that was found"))
    hit = Hit(
        message=f"{missing.file} imports `{missing.wanted}`: {missing.says}.",
        owner=missing.file,
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
                "a try that catches ImportError around the import",
            ),
        ),
        names={"module": missing.file},
    )
    return Assessment(
        subject=missing.wanted,
        verdict="not-met",
        why=hit.message,
        evidence=tuple(evidence),
        hit=hit,
    )
