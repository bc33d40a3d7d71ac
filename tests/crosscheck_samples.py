"""Answers of rules, about code and about runs, and names of an agent graph, made by hand."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.made_rules import made_rule

from agentcheck.crosscheck import Answer, Joined, Traced, crosscheck
from agentcheck.model.assessment import (
    Assessment,
    Challenge,
    CodeEvidence,
    Hit,
    TraceEvidence,
    Verdict,
)
from agentcheck.model.location import Place, Span


class Made(NamedTuple):
    """An agent of the made-up code, and the names around it."""

    place: Place
    names: frozenset[str] = frozenset()


class Named:
    """Places of tools and agents, as the agent graph gives them."""

    def __init__(self, **tools: Place) -> None:
        self.defined = tools
        self.made = {"Triage": [Made(Place("core.py", Span(2, 1, 2, 9), "triage = Agent()"))]}
        self.loops = [("Runner.run", Place("core.py", Span(7, 5, 9, 1), "while True:"))]

    @property
    def run_names(self) -> Named:
        return self

    def tools(self, name: str) -> list[Place]:
        return [self.defined[name]] if name in self.defined else []

    def agents(self, name: str, seen: frozenset[str]) -> list[Made]:
        return [each for each in self.made.get(name, []) if not seen or seen & each.names]

    def is_tool(self, name: str) -> bool:
        return name in self.defined

    def is_agent(self, name: str) -> bool:
        return name in self.made

    def loops_places(self) -> list[tuple[str, Place]]:
        return self.loops

    def runs_places(self) -> list[Place]:
        return [Place("main.py", Span(1, 1, 1, 9), "run(desk)")]


def hit(owner: str) -> Hit:
    return Hit(message="It fails.", owner=owner, failure_path=(), challenge=Challenge())


def in_code(
    topic: str, subject: str, *, file: str = "core.py", line: int = 7, owner: str | None = None
) -> Answer:
    evidence = CodeEvidence("primary", file, line, line, 1, 9, "while True:", "here")
    said = Assessment(
        subject=subject,
        verdict="not-met",
        why="No.",
        evidence=(evidence,),
        hit=hit(owner or subject),
    )
    return Answer(made_rule(topic), said)


def in_run(
    topic: str, subject: str, verdict: Verdict = "not-met", record: int = 3, text: str = "{}"
) -> Answer:
    evidence = TraceEvidence("primary", "runs.jsonl", 0, record, "", text, "here")
    said = Assessment(
        subject=subject,
        verdict=verdict,
        why="So.",
        evidence=(evidence,),
        hit=hit(subject) if verdict in ("partly", "not-met") else None,
    )
    return Answer(made_rule(topic), said)


def traced(*answers: Answer, topics: tuple[str, ...] = ()) -> Traced:
    return Traced(answers, 1, frozenset({a.topic for a in answers} | set(topics)))


def only(joined: list[Joined]) -> Joined:
    assert len(joined) == 1
    return joined[0]


def check(code: list[Answer], runs: Traced, places: Any = None) -> list[Joined]:
    return crosscheck(code, runs, places)
