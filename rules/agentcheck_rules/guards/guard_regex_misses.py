"""A guard's regular expression lets through what it was written to catch.

Three slips come back again and again. A pattern of words is compared in the case it was typed in,
so that "Ignore previous instructions" passes where "ignore previous instructions" does not. A
pattern of what is forbidden is used with `re.match`, which looks at the start of the text only, so
that one word in front hides the rest. A pattern of what is allowed has no end, so that everything
may follow what it describes: `https://good.com` also begins `https://good.com.evil.example`.

Judged are literal patterns whose hit decides a yes or a no: by the name of the pattern or of its
list, else by what the guard around it answers. Case counts only for words of a language; commands,
code, keys and addresses are told apart by their case. A flag, an inline flag, a class of both
cases, and a text that was put in one case before are met. An allow pattern counts only where it is
applied to a whole such as an address, a path or a command, and not where it reads a judge's answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    Severity,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.guards._holes import Hole, hole_of
from agentcheck_rules.guards._patterns import Pattern, guard_patterns

CARD = Card(
    code="AC703",
    topic="guard-regex-misses",
    title="A guard's pattern misses what it is meant to catch",
    question="Does every pattern of a guard catch what it is meant to, in any case and place?",
    severity="medium",
    confidence="medium",
    remedy_confidence="high",
    at_stake="A guard must not be passed by a capital letter or by a word in front.",
    consequence="A text that differs in case, or has something before or after it, passes.",
    owner="whoever owns the guard",
    smallest_change="Match without regard to case, search the whole text for what is forbidden, "
    "and use `re.fullmatch` for what is allowed.",
    could_break="Texts that passed by their case or place are now refused.",
    acceptance="Given a forbidden text in other case, with words before or after it, {owner} does "
    "not let it through.",
    tags=("security",),
)


class _Kind(Struct, frozen=True):
    """How one kind of hole is told; `{owner}` is filled in."""

    title: str
    message: str
    says: str
    path: str
    change: str
    looked: str
    severity: Severity | None = None


_KINDS: dict[Hole, _Kind] = {
    "case": _Kind(
        "A guard's pattern of words is compared in one case",
        "`{owner}` looks for words in the case they were typed in; other case passes.",
        "these words are found in this case only",
        "the text has the same words with a capital letter",
        "Compile the pattern with `re.IGNORECASE`.",
        "a flag, an inline flag or a text that was put in one case before",
    ),
    "start": _Kind(
        "A guard's deny pattern is compared at the start only",
        "`{owner}` uses `re.match` for what is forbidden; it looks at the start of the text only.",
        "this is found at the start of the text only",
        "the text has one word in front of what is forbidden",
        "Use `re.search` for what is forbidden.",
        "a pattern that begins with anything",
    ),
    "end": _Kind(
        "A guard's allow pattern has no end",
        "`{owner}` allows whatever begins like its pattern, for nothing holds its end.",
        "anything may follow what this describes",
        "the text begins as allowed and goes on with something else",
        "Use `re.fullmatch`, or end the pattern with `\\Z`.",
        "an end of the pattern, or a delimiter there",
        severity="high",
    ),
}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function and kind of hole, and one a function whose patterns are whole."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test":
            continue
        found: dict[Hole | None, list[Pattern]] = {}
        for pattern in guard_patterns(graph, fn):
            found.setdefault(hole_of(pattern), []).append(pattern)
        for hole, patterns in found.items():
            yield _whole(fn, patterns[0]) if hole is None else _missed(fn, hole, patterns)


def _whole(fn: Fn, pattern: Pattern) -> Assessment:
    here = related(pattern.use.place, "the guard looks for its pattern here")
    return fine(fn.qualname, "met", "No way past its pattern was seen.", here)


def _missed(fn: Fn, hole: Hole, patterns: list[Pattern]) -> Assessment:
    owner, kind, first = fn.qualname, _KINDS[hole], patterns[0]
    more = f" ({len(patterns)} patterns)" if len(patterns) > 1 else ""
    hit = Hit(
        title=kind.title,
        message=kind.message.format(owner=owner) + more,
        owner=owner,
        severity=kind.severity,
        failure_path=(
            kind.path,
            f"the pattern of `{owner}` does not tell it from a text that may pass",
            "the guard lets it through",
        ),
        challenge=Challenge("upheld", (kind.looked,)),
        smallest_change=kind.change,
        names={"owner": owner},
    )
    evidence = [primary(first.at.place, kind.says)]
    evidence += [related(p.at.place, "and this") for p in patterns[1:4]]
    if first.use.place != first.at.place:
        evidence.append(related(first.use.place, "the guard looks for it here"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
