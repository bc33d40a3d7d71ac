"""A value that was given is taken for one that was not, because it is false.

`temperature or 0.7` turns a temperature of 0, the one that makes replies repeatable, into 0.7.
`stream or self.stream` cannot switch streaming off. `model_override or agent.model` runs the
default where an empty override should have been refused.

Looked at are parameters whose default is None, so that None alone says "not given", in the three
ways to write a fallback: `a or b`, `a if a else b`, and `if not a: a = b`. A number counts where
zero asks for something else than the default does (temperature, seed, retries, penalties,
thresholds), also when it is read with `.get("temperature")`; a flag where it is annotated as a
bool; a text or list where its name says that it overrides, or where empty asks for none (tools,
stop sequences, a system prompt).

It is no fault where the default is what the false value asks for (`tools or []`, `seed or 0`), or
where the function compares the parameter with None, or looks at its false value, elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Confidence,
    E,
    Fn,
    Hit,
    Persona,
    Severity,
    Site,
    dotted,
    fine,
    primary,
    related,
)
from agentcheck_rules.replies._falsy import Fallback, Kind, fallbacks

__all__ = ["CARD", "check"]
CARD = Card(
    code="AC203",
    topic="falsy-override-ignored",
    title="A setting that is zero, false or empty is silently ignored",
    question="Is a setting that was given used, also when it is zero, false or empty?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="What a caller sets must reach the model, or be refused.",
    consequence="The run goes on with the default, and nothing says that the caller's value was "
    "dropped.",
    owner="whoever reads the setting",
    smallest_change="Compare with None: `value if value is not None else default`.",
    could_break="Callers that pass an empty value to get the default.",
    acceptance="{owner}, called with a false value for `{setting}`, uses it or refuses it.",
    tags=("correctness",),
)
# What a kind of false value is, how sure it is that it was meant, and how much it matters.
KINDS: dict[Kind, tuple[str, Severity, Confidence, Persona]] = {
    "zero": ("0", "medium", "high", "regular"),
    "false": ("False", "medium", "high", "regular"),
    "override": ("an empty value", "low", "medium", "pedantic"),
    "empty": ("an empty value", "low", "low", "auditor"),
}
FALSY: dict[Kind, str] = {"zero": "0", "false": "False"}  # an empty text else


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a kind of setting of a function, and one a setting that is looked at."""
    groups: dict[tuple[Fn, Kind], list[Fallback]] = {}
    for found in fallbacks(graph):
        looked_at = _looked_at(graph, found.fn, found.value)
        if looked_at is None:
            groups.setdefault((found.fn, found.kind), []).append(found)
        else:
            fn, name = found.fn, found.value
            here = related(fn.place(found.expr.span), "this falls back")
            seen = related(looked_at.place, "its false value is looked at here")
            yield fine(fn.qualname, "met-differently", f"`{name}` is looked at", here, seen)
    for (fn, _), group in groups.items():
        yield _ignored(fn, group)


def _looked_at(graph: AgentGraph, fn: Fn, name: str) -> Site | None:
    """A comparison of the setting in the function: with None, with zero, with an empty text."""
    for site in graph.program.sites(fn):
        if isinstance(site.expr, E.Compare):
            sides = (site.expr.left, *site.expr.rights)
            if any(dotted(s) == name for s in sides) and any(isinstance(s, E.Const) for s in sides):
                return site
    return None


def _ignored(fn: Fn, group: list[Fallback]) -> Assessment:
    owner, first = fn.qualname, group[0]
    name = "` or `".join(dict.fromkeys(f.value for f in group))
    value, severity, confidence, persona = KINDS[first.kind]
    message = f"`{owner}` takes its default when `{name}` is {value}, as if it had not been given."
    hit = Hit(
        message=message,
        owner=owner,
        severity=severity,
        confidence=confidence if first.param is not None else "medium",
        persona=persona,
        failure_path=(
            f"a caller gives {value} for `{name}`",
            f"`{owner}` tests whether it is true, not whether it is None",
            "the default is used, and nothing says so",
        ),
        challenge=Challenge(
            "upheld" if persona == "regular" else "weakened",
            ("a comparison of it with None or its false value", "a default that means the same"),
        ),
        names={"setting": first.value, "falsy": FALSY.get(first.kind, "''")},
    )
    evidence = [primary(fn.place(first.expr.span), f"{value} is taken for no value here")]
    evidence += [related(fn.place(f.expr.span), "and here") for f in group[1:5]]
    if first.param is not None:
        evidence.append(related(fn.place(first.param.span), "None says that it was not given"))
    return Assessment(
        subject=owner, verdict="not-met", why=message, evidence=tuple(evidence), hit=hit
    )
