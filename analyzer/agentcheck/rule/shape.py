"""Short forms for what every rule says: evidence from a place, an answer that all is well."""

from agentcheck.model.assessment import Assessment, CodeEvidence, Evidence, Role, Verdict
from agentcheck.model.location import Place


def _evidence(place: Place, says: str, role: Role) -> CodeEvidence:
    span = place.span
    return CodeEvidence(
        role=role,
        file=place.file,
        line=span.line,
        end_line=span.end_line,
        column=span.column,
        end_column=span.end_column,
        text=place.text,
        says=says,
        cell=place.cell,
    )


def primary(place: Place, says: str) -> CodeEvidence:
    """The line a finding points at."""
    return _evidence(place, says, "primary")


def related(place: Place, says: str) -> CodeEvidence:
    """A further line of the proof."""
    return _evidence(place, says, "related")


def fine(subject: str, verdict: Verdict, why: str, *evidence: Evidence) -> Assessment:
    """An answer that makes no finding: met, met-differently, cannot-tell or not-applicable."""
    return Assessment(subject=subject, verdict=verdict, why=why, evidence=evidence)
